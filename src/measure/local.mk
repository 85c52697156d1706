noinst_LTLIBRARIES += src/measure/libmeasure.la
src_measure_libmeasure_la_SOURCES = src/measure/measure.h src/measure/bench.h src/measure/bench.c \
  src/measure/paths.c src/measure/plan.c src/measure/api.c src/measure/clock.c \
  src/measure/capacity.c src/measure/carveout.c src/measure/latency.c src/measure/memory.c src/measure/l2.c \
  src/measure/readers.h src/measure/readers.c src/measure/partition.c src/measure/busy.c \
  src/measure/bandwidth.h src/measure/bandwidth.c src/measure/bandwidth_chip.c \
  src/measure/agree.h src/measure/agree.c src/measure/census.c
src_measure_libmeasure_la_SOURCES += src/measure/raw.h src/measure/raw.c \
  src/measure/raw_files.h src/measure/raw_files.c src/measure/raw_earlier.c \
  src/measure/layout.h src/measure/layout.c src/measure/fetch.c src/measure/line.c \
  src/measure/l2line.c src/measure/l2sample.c src/measure/penalty.c \
  src/measure/pair.h src/measure/pair.c src/measure/roll.c src/measure/sharing.c src/measure/amount.c \
  src/measure/turns.h src/measure/turns.c src/measure/constant15.c \
  src/measure/constant15line.c src/measure/constant15census.c src/measure/looks.h src/measure/looks.c \
  src/measure/crosscheck.c src/measure/known.h src/measure/known.c src/measure/l3.c src/measure/sms.c src/measure/mates.h src/measure/mates.c
