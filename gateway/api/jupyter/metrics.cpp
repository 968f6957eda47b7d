#include "gateway/api/jupyter/metrics.hpp"

#include <map>
#include <utility>

namespace gateway::api::jupyter {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily single(const char* name, const char* help, MetricType type, double value) {
    auto made = make_family(name, help, type);
    add_value(made, value);
    return made;
}

MetricFamily count_kernels(const std::vector<std::shared_ptr<sessions::session>>& all) {
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const auto& each : all) ++counts[{sessions::to_string(each->state()), each->spec().name}];
    auto made = make_family("cellgate_kernels", "Kernels by state and kernelspec", MetricType::Gauge);
    for (const auto& [key, count] : counts) add_value(made, count, {{"state", key.first}, {"spec", key.second}});
    return made;
}

MetricFamily count_sessions(const std::vector<std::shared_ptr<sessions::session>>& all) {
    std::map<std::string, int> counts = {{"agent", 0}, {"jupyter", 0}};
    for (const auto& each : all) ++counts[sessions::to_string(each->options().made_by)];
    auto made = make_family("cellgate_sessions", "Live sessions by who made them", MetricType::Gauge);
    for (const auto& [origin, count] : counts) add_value(made, count, {{"made_by", origin}});
    return made;
}

MetricFamily count_connections_of(const std::vector<std::shared_ptr<sessions::session>>& all) {
    double jupyter = 0, agent = 0;
    for (const auto& each : all) {
        jupyter += static_cast<double>(each->connections());
        agent += static_cast<double>(each->agent_sockets());
    }
    auto made = make_family("cellgate_connections", "Open WebSockets by kind of client", MetricType::Gauge);
    add_value(made, jupyter, {{"client", "jupyter"}});
    add_value(made, agent, {{"client", "agent"}});
    return made;
}

void add_log_metrics(std::vector<MetricFamily>& into, const std::vector<std::shared_ptr<sessions::session>>& all) {
    double memory = 0, disk = 0, entries = 0, dropped = 0;
    for (const auto& each : all) {
        const auto& log = each->log();
        memory += static_cast<double>(log.memory_bytes());
        disk += static_cast<double>(log.disk_bytes());
        entries += static_cast<double>(log.last_seq() + 1 - log.first_seq());
        dropped += static_cast<double>(log.dropped_entries());
    }
    using enum MetricType;
    into.push_back(
        single("cellgate_output_log_memory_bytes", "Output logs of live sessions, in memory", Gauge, memory));
    into.push_back(single("cellgate_output_log_disk_bytes", "Output logs of live sessions, on disk", Gauge, disk));
    into.push_back(
        single("cellgate_output_log_entries", "Entries in the output logs of live sessions", Gauge, entries));
    into.push_back(single("cellgate_output_log_lost_entries",
                          "Entries that the logs of live sessions no longer have (readers get a gap)", Gauge, dropped));
}

void add_budget_metrics(std::vector<MetricFamily>& into, const sessions::log_budget* budget) {
    if (!budget) return;
    into.push_back(single("cellgate_output_log_dropped_entries_total", "Entries dropped from any output log so far",
                          MetricType::Counter, static_cast<double>(budget->dropped_entries())));
}

void add_channel_metrics(std::vector<MetricFamily>& into, const channel_counters& counts) {
    auto add = [&](const char* name, const char* help, std::uint64_t value) {
        into.push_back(single(name, help, MetricType::Counter, static_cast<double>(value)));
    };
    add("cellgate_channel_connections_total", "Kernel WebSockets opened", counts.connections);
    add("cellgate_channel_disconnects_total", "Kernel WebSockets that the peer closed or lost", counts.cut);
    add("cellgate_channel_messages_sent_total", "Messages sent to Jupyter clients", counts.messages_sent);
    add("cellgate_channel_messages_merged_total", "Messages sent that join several streams, for clients that lagged",
        counts.merged);
    add("cellgate_channel_bytes_sent_total", "Bytes of frames sent to Jupyter clients", counts.bytes_sent);
    add("cellgate_channel_messages_received_total", "Messages from Jupyter clients", counts.messages_received);
    add("cellgate_channel_bytes_received_total", "Bytes of frames from Jupyter clients", counts.bytes_received);
    add("cellgate_channel_bad_frames_total", "Frames that were no Jupyter message", counts.bad_frames);
    add("cellgate_channel_buffers_stripped_total",
        "Messages sent without their buffers to a client that cannot read them", counts.buffers_stripped);
}

void add_session_tokens(std::vector<MetricFamily>& into, const std::vector<std::shared_ptr<sessions::session>>& all) {
    auto made =
        make_family("cellgate_session_model_tokens", "Tokens that live sessions used of the model", MetricType::Gauge);
    for (const auto& each : all) {
        const auto& model = each->meters()->model;
        if (model.calls() == 0) continue;
        add_value(made, static_cast<double>(model.tokens().prompt), {{"session", each->id()}, {"kind", "prompt"}});
        add_value(made, static_cast<double>(model.tokens().completion),
                  {{"session", each->id()}, {"kind", "completion"}});
    }
    into.push_back(std::move(made));
}

// Of the services that cells call through the gateway: "model" and "search".
void add_service_metrics(std::vector<MetricFamily>& into, const jupyter_options& from) {
    auto calls = make_family("cellgate_service_calls_total",
                             "Calls that ended, by service and how: ok, cancelled, or a code", MetricType::Counter);
    auto running =
        make_family("cellgate_service_calls_running", "Calls that run or wait, by service", MetricType::Gauge);
    auto tokens =
        make_family("cellgate_model_tokens_total", "Tokens that calls of the model used", MetricType::Counter);
    for (const auto& [name, totals] : from.services) {
        for (const auto& [ended, count] : totals->calls)
            add_value(calls, static_cast<double>(count), {{"service", name}, {"ended", ended}});
        add_value(running, static_cast<double>(totals->running), {{"service", name}});
        if (name != "model") continue;
        add_value(tokens, static_cast<double>(totals->tokens.prompt), {{"kind", "prompt"}});
        add_value(tokens, static_cast<double>(totals->tokens.completion), {{"kind", "completion"}});
    }
    for (auto* each : {&calls, &running, &tokens}) into.push_back(std::move(*each));
}

}  // namespace

prometheus::MetricFamily make_family(const char* name, const char* help, MetricType type) {
    MetricFamily made;
    made.name = name;
    made.help = help;
    made.type = type;
    return made;
}

void add_value(MetricFamily& to, double value, std::vector<prometheus::ClientMetric::Label> labels) {
    prometheus::ClientMetric made;
    made.label = std::move(labels);
    if (to.type == MetricType::Counter)
        made.counter.value = value;
    else
        made.gauge.value = value;
    to.metric.push_back(std::move(made));
}

std::vector<MetricFamily> collect_metrics(context& with) {
    auto all = with.registry.list();
    std::vector<MetricFamily> made = {count_kernels(all), count_sessions(all), count_connections_of(all)};
    add_log_metrics(made, all);
    add_budget_metrics(made, with.options.log_budget);
    add_channel_metrics(made, with.counters);
    add_service_metrics(made, with.options);
    add_session_tokens(made, all);
    if (with.options.http_connections)
        made.push_back(single("cellgate_http_connections", "Open TCP connections", MetricType::Gauge,
                              static_cast<double>(with.options.http_connections())));
    for (auto& each : collect_process_metrics()) made.push_back(std::move(each));
    return made;
}

}  // namespace gateway::api::jupyter
