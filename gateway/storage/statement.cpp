#include "gateway/storage/statement.hpp"

#include "gateway/storage/problem.hpp"

namespace gateway::storage {
namespace {

void bind(sqlite3_stmt* to, int place, const parameter& value) {
    if (const auto* text = std::get_if<std::string>(&value))
        sqlite3_bind_text64(to, place, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    else if (const auto* number = std::get_if<std::int64_t>(&value))
        sqlite3_bind_int64(to, place, *number);
    else if (const auto* bytes = std::get_if<blob>(&value))
        sqlite3_bind_blob64(to, place, bytes->bytes.data(), bytes->bytes.size(), SQLITE_STATIC);
}

}  // namespace

failure database_failure(sqlite3* database) {
    auto name = sqlite3_db_filename(database, "main");
    return describe(name ? name : "the database", sqlite3_extended_errcode(database), sqlite3_errmsg(database));
}

statement::statement(sqlite3* database, const char* sql, const std::vector<parameter>& arguments)
    : database_(database) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &made, nullptr) != SQLITE_OK) return;
    handle_.reset(made);
    for (std::size_t i = 0; i < arguments.size(); ++i) bind(made, static_cast<int>(i + 1), arguments[i]);
}

result<bool> statement::step() {
    if (!handle_) return database_failure(database_);
    int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return database_failure(database_);
}

std::string statement::text(int column) const {
    auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)))
                 : std::string();
}

std::int64_t statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

bool statement::is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }

result<void> execute(sqlite3* database, const char* sql, const std::vector<parameter>& arguments) {
    statement run(database, sql, arguments);
    while (true) {
        auto row = run.step();
        if (!row) return row.error();
        if (!*row) return {};
    }
}

}  // namespace gateway::storage
