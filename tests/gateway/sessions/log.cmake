cellgate_test(gateway_log_test
  SOURCES
    entry_codec_test.cpp log_budget_test.cpp output_log_disk_test.cpp output_log_property_test.cpp output_log_test.cpp
    stream_merge_test.cpp stream_pace_test.cpp
  LINKS gateway_log)
