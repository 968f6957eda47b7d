// A prepared SQLite statement. Used by the stores of this layer; lives shorter than its database.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gateway/base/result.hpp"

namespace gateway::http {

class statement {
  public:
    // Text parameters are bound in order; `arguments` outlive the statement.
    statement(sqlite3* database, const char* sql, const std::vector<std::string>& arguments = {});

    // True while there is a row.
    result<bool> step();
    std::string text(int column) const;
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
result<void> execute(sqlite3* database, const char* sql, const std::vector<std::string>& arguments = {});
failure database_failure(sqlite3* database);

}  // namespace gateway::http
