// What /metrics shows, gathered when it is asked for. io thread.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "gateway/api/jupyter/context.hpp"

namespace gateway::api::jupyter {

std::vector<prometheus::MetricFamily> collect_metrics(context& with);
// CPU, memory, files and start time of this process, under the names that every Prometheus client uses.
std::vector<prometheus::MetricFamily> collect_process_metrics();

prometheus::MetricFamily make_family(const char* name, const char* help, prometheus::MetricType type);
void add_value(prometheus::MetricFamily& to, double value, std::vector<prometheus::ClientMetric::Label> labels = {});

}  // namespace gateway::api::jupyter
