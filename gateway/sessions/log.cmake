# The output log and its parts; includes no kernel.
cellgate_layer(gateway_log
  SOURCES
    cursor.cpp entry.cpp entry_codec.cpp log_budget.cpp log_core.cpp log_memory.cpp log_reader.cpp output_log.cpp
    record_bytes.cpp segment_file.cpp segment_list.cpp stream_merge.cpp stream_pace.cpp
  LINKS gateway_base messaging nlohmann_json::nlohmann_json)
