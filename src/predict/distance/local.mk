noinst_LTLIBRARIES += src/predict/distance/libpredict-distance.la
src_predict_distance_libpredict_distance_la_SOURCES = src/predict/distance/distance.h \
  src/predict/distance/distance.c src/predict/distance/histogram.c src/predict/distance/stack_lines.h \
  src/predict/distance/stack_lines.c src/predict/distance/slots.h src/predict/distance/slots.c
src_predict_distance_libpredict_distance_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
