// A prepared SQLite statement. Used by the stores of the gateway; lives shorter than its database. The thread of its
// database.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::storage {

struct blob {
    std::string bytes;
};

// What a parameter is bound to; nothing: NULL.
using parameter = std::variant<std::monostate, std::string, std::int64_t, blob>;

class statement {
  public:
    // Parameters are bound in order; `arguments` outlive the statement.
    statement(sqlite3* database, const char* sql, const std::vector<parameter>& arguments = {});

    // True while there is a row.
    result<bool> step();
    std::string text(int column) const;  // also the bytes of a blob
    std::int64_t integer(int column) const;
    bool is_null(int column) const;

  private:
    struct finalize {
        void operator()(sqlite3_stmt* of) const { sqlite3_finalize(of); }
    };
    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, finalize> handle_;
};

// Runs to the end and drops the rows.
result<void> execute(sqlite3* database, const char* sql, const std::vector<parameter>& arguments = {});
// io_error: the file, what SQLite says, and what to do about it.
failure database_failure(sqlite3* database);

}  // namespace gateway::storage
