// The gateway's database, DATA_DIR/cellgate.db: opened, private to its user, and brought to this program's schema.
// Several processes may have it open (the gateway, and `cellgate keys`), and one process several times; each value
// belongs to one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "gateway/base/result.hpp"

struct sqlite3;

namespace gateway::storage {

class database {
  public:
    // Makes directory (0700), file (0600) and tables as needed. io_error says what is wrong with the file and what to
    // do: it is damaged, it is no database, a newer Cellgate has changed it. A commit is on the disk when it returns.
    static result<database> open(const std::string& data_dir);

    sqlite3* get() const { return handle_.get(); }
    // Writes what was committed into the database's file and cuts its log to nothing: what was overwritten is in
    // neither then. False when another connection, which still reads or writes, holds it up; it is not waited for.
    bool empty_log();

  private:
    struct close_database {
        void operator()(sqlite3* of) const;
    };
    explicit database(sqlite3* handle) : handle_(handle) {}
    std::unique_ptr<sqlite3, close_database> handle_;
};

// What is done between its making and commit() is there as a whole or not at all. Owns the write lock of the database.
class transaction {
  public:
    static result<transaction> begin(sqlite3* on);
    result<void> commit();
    transaction(transaction&& other) noexcept;
    transaction& operator=(transaction&&) = delete;
    ~transaction();  // takes back what was not committed

  private:
    explicit transaction(sqlite3* on) : on_(on) {}
    sqlite3* on_;  // null: over
};

}  // namespace gateway::storage
