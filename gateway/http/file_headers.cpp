#include "gateway/http/file_headers.hpp"

#include <fmt/chrono.h>

#include "gateway/base/percent.hpp"
#include "gateway/http/target.hpp"
#include "gateway/http/text.hpp"

namespace gateway::http {
namespace {

struct type_of {
    std::string_view extension;
    std::string_view type;
};

constexpr type_of types[] = {
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"eml", "message/rfc822"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ipynb", "application/x-ipynb+json"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"log", "text/plain; charset=utf-8"},
    {"md", "text/markdown; charset=utf-8"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"parquet", "application/vnd.apache.parquet"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"py", "text/x-python; charset=utf-8"},
    {"rtf", "application/rtf"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"tsv", "text/tab-separated-values; charset=utf-8"},
    {"txt", "text/plain; charset=utf-8"},
    {"wav", "audio/wav"},
    {"webp", "image/webp"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
};

// For clients that do not know filename*; what cannot stand there becomes "_".
std::string plain_name(std::string_view name) {
    std::string plain;
    for (char each : name) plain += each < ' ' || each > '~' || each == '"' || each == '\\' || each == '%' ? '_' : each;
    return plain;
}

}  // namespace

std::string attachment(std::string_view name) {
    const auto plain = plain_name(name);
    auto header = "attachment; filename=\"" + plain + "\"";
    if (plain != name) header += "; filename*=UTF-8''" + percent_encode(name);
    return header;
}

std::string media_type(std::string_view name) {
    const auto dot = name.rfind('.');
    const auto extension = dot == name.npos ? std::string() : to_lower(name.substr(dot + 1));
    for (const auto& each : types)
        if (each.extension == extension) return std::string(each.type);
    return "application/octet-stream";
}

std::string http_date(std::chrono::system_clock::time_point when) {
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(when));
}

}  // namespace gateway::http
