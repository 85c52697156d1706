noinst_LTLIBRARIES += src/stats/libstats.la
src_stats_libstats_la_SOURCES = src/stats/stats.h src/stats/summary.c src/stats/robust.c src/stats/ks.c \
  src/stats/changepoint.c src/stats/split.c src/stats/ranks.c src/stats/decide.h src/stats/decide.c \
  src/stats/sequential.h src/stats/sequential.c
