/* wheelbase.hpp: wheelbase.h for C++17. Objects are move-only and destroy themselves; arrays are spans; texts are
 * std::string_view. Needs neither exceptions nor run-time types.
 *
 * Every call gives a Status, or a Result<T> that has a value or a Status. Both are [[nodiscard]]. With
 * `#define WHEELBASE_EXCEPTIONS` before the include a call that fails throws wheelbase::Error, and its result always has a
 * value. Without it, `value()` of a failure prints its message and aborts: ask `ok()` first where a failure is possible.
 *
 * What a function does, its costs, threads and lifetimes stand in wheelbase.h, at the function of the same name: Map::edit is
 * wb_map_edit. A span that borrows (poses(), agents() ...) lives as long as is said there. Whatever is not wrapped can be called
 * with `handle()`. */
#ifndef WHEELBASE_HPP
#define WHEELBASE_HPP

#include "wheelbase.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#ifdef WHEELBASE_EXCEPTIONS
#include <stdexcept>
#endif

namespace wheelbase {

using Cell = wb_cell;
using Pose = wb_pose;
using Goal = wb_goal;
using Rect = wb_rect;
using Change = wb_change;
using PathPose = wb_path_pose;
using AgentRow = wb_agent_row;
using EventRow = wb_event_row;
using EventDetails = wb_event_details;

/** Values of an array that somebody else owns. */
template <typename T> class Span {
  public:
    constexpr Span() noexcept = default;
    constexpr Span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr Span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    /** Of a std::vector, std::array, std::span and the like. */
    template <typename C, typename = std::enable_if_t<std::is_convertible_v<decltype(std::declval<C &>().data()), T *>>>
    constexpr Span(C &&values) noexcept : data_(values.data()), size_(values.size()) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t n) const noexcept { return data_[n]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail {
/** Calls `fill(buffer, capacity, &count)` until the buffer has room. */
template <typename C, typename F> std::uint32_t filled(C &values, F &&fill) {
    std::size_t count = 0;
    for (;;) {
        const std::uint32_t status = fill(values.data(), values.size(), &count);
        if (status != WB_BUFFER || count <= values.size()) {
            values.resize(status == WB_OK ? count : 0);
            return status;
        }
        values.resize(count);
    }
}
} // namespace detail

/** The words of the last failure on this thread; mistakes in files begin with file:line:column. */
inline std::string last_error() {
    std::string words(255, '\0');
    detail::filled(words, wb_last_error);
    return words;
}

#ifdef WHEELBASE_EXCEPTIONS
/** A call that failed. */
class Error : public std::runtime_error {
  public:
    explicit Error(std::uint32_t code) : std::runtime_error(last_error()), code_(code) {}
    std::uint32_t code() const noexcept { return code_; }

  private:
    std::uint32_t code_;
};
#endif

/** What became of a call: WB_OK or another status. */
class [[nodiscard]] Status {
  public:
    Status() noexcept = default;
    explicit Status(std::uint32_t code) : code_(code) {
#ifdef WHEELBASE_EXCEPTIONS
        if (code != WB_OK) throw Error(code);
#endif
    }
    bool ok() const noexcept { return code_ == WB_OK; }
    explicit operator bool() const noexcept { return ok(); }
    std::uint32_t code() const noexcept { return code_; }
    const char *name() const noexcept { return wb_status_name(code_); }
    /** Its words, until another call of this thread fails. */
    std::string message() const { return ok() ? std::string() : last_error(); }
    /** Aborts with the words of a failure. */
    void check() const {
        if (ok()) return;
        std::fprintf(stderr, "%s: %s\n", name(), message().c_str());
        std::abort();
    }

  private:
    std::uint32_t code_ = WB_OK;
};

/** A value, or the status of the call that failed to give it. */
template <typename T> class [[nodiscard]] Result {
  public:
    Result(Status status, T value) : status_(status), value_(std::move(value)) {}
    bool ok() const noexcept { return status_.ok(); }
    explicit operator bool() const noexcept { return ok(); }
    Status status() const noexcept { return status_; }
    std::string message() const { return status_.message(); }
    /** The value; of a failure aborts with its words. */
    T &value() & {
        status_.check();
        return value_;
    }
    T value() && {
        status_.check();
        return std::move(value_);
    }
    T &operator*() & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }

  private:
    Status status_;
    T value_;
};

namespace detail {
/** A handle that destroys its object. */
template <std::uint32_t (*Destroy)(std::uint64_t)> class Owner {
  public:
    Owner() noexcept = default;
    explicit Owner(std::uint64_t handle) noexcept : handle_(handle) {}
    Owner(Owner &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    Owner &operator=(Owner &&other) noexcept {
        if (this != &other) {
            reset();
            handle_ = std::exchange(other.handle_, 0);
        }
        return *this;
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    ~Owner() { reset(); }
    /** For the functions of wheelbase.h; 0 of an object that has been moved away. */
    std::uint64_t handle() const noexcept { return handle_; }
    explicit operator bool() const noexcept { return handle_ != 0; }
    /** The handle, which is the caller's to destroy from now on. */
    std::uint64_t release() noexcept { return std::exchange(handle_, 0); }
    /** Destroys the object now. No other thread may be in a call with it: it would be left alive. */
    void reset() noexcept {
        if (handle_ != 0) (void)Destroy(std::exchange(handle_, 0));
    }

  protected:
    std::uint64_t handle_ = 0;
};

template <typename T, typename F> Result<T> make(F &&call) {
    std::uint64_t handle = 0;
    const std::uint32_t status = call(&handle);
    return Result<T>(Status(status), T(handle));
}
/** The result of a call that writes one value. */
template <typename T, typename F> Result<T> get(F &&call) {
    T value{};
    const std::uint32_t status = call(&value);
    return Result<T>(Status(status), value);
}
/** The result of a call that writes a structure with a size. */
template <typename T, typename F> Result<T> get_sized(F &&call) {
    T value{};
    value.size = sizeof(T);
    const std::uint32_t status = call(&value);
    return Result<T>(Status(status), value);
}
/** The result of a call that lends an array. */
template <typename T, typename F> Result<Span<const T>> borrow(F &&call) {
    const T *data = nullptr;
    std::size_t count = 0;
    const std::uint32_t status = call(&data, &count);
    return Result<Span<const T>>(Status(status), Span<const T>(data, count));
}
template <typename C, typename F> Result<C> list(F &&call) {
    C values;
    const std::uint32_t status = filled(values, call);
    return Result<C>(Status(status), std::move(values));
}
inline const std::uint8_t *bytes(std::string_view text) noexcept {
    return reinterpret_cast<const std::uint8_t *>(text.data());
}
} // namespace detail

/** A map. */
class Map : public detail::Owner<wb_map_destroy> {
  public:
    using Owner::Owner;
    static Result<Map> blank(std::uint32_t width, std::uint32_t height, std::uint32_t shape = WB_SHAPE_SQUARE,
                             std::uint32_t terrain = 0) {
        return detail::make<Map>([&](auto *out) { return wb_map_new(width, height, shape, terrain, out); });
    }
    static Result<Map> from_rows(std::string_view rows) {
        return detail::make<Map>([&](auto *out) { return wb_map_from_rows(rows.data(), rows.size(), out); });
    }
    static Result<Map> from_cells(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> cells,
                                  Span<const wb_terrain> terrains = {}, std::uint32_t shape = WB_SHAPE_SQUARE) {
        return detail::make<Map>([&](auto *out) {
            return wb_map_from_cells(width, height, shape, cells.data(), cells.size(), terrains.data(), terrains.size(), out);
        });
    }
    static Result<Map> parse(std::string_view name, std::string_view contents) {
        return detail::make<Map>([&](auto *out) {
            return wb_map_parse(name.data(), name.size(), detail::bytes(contents), contents.size(), out);
        });
    }
    static Result<Map> open(std::string_view path) {
        return detail::make<Map>([&](auto *out) { return wb_map_open(path.data(), path.size(), out); });
    }
    Result<Map> clone() const {
        return detail::make<Map>([&](auto *out) { return wb_map_clone(handle_, out); });
    }
    Result<wb_map_info> describe() const {
        return detail::get_sized<wb_map_info>([&](auto *out) { return wb_map_describe(handle_, out); });
    }
    Result<Span<const std::uint8_t>> terrain() const {
        return detail::borrow<std::uint8_t>([&](auto *out, auto *count) { return wb_map_terrain(handle_, out, count); });
    }
    Result<std::uint32_t> terrain_kind(std::string_view name) const {
        return detail::get<std::uint32_t>(
            [&](auto *out) { return wb_map_terrain_kind(handle_, name.data(), name.size(), out); });
    }
    Result<std::string> terrain_name(std::uint32_t kind) const {
        return detail::list<std::string>(
            [&](auto *to, auto room, auto *count) { return wb_map_terrain_name(handle_, kind, to, room, count); });
    }
    /** The rectangle that has changed, for Tables::update. */
    Result<Rect> edit(Span<const Change> changes) {
        return detail::get<Rect>([&](auto *out) { return wb_map_edit(handle_, changes.data(), changes.size(), out); });
    }
};

/** A movement class. */
class Class : public detail::Owner<wb_class_destroy> {
  public:
    using Owner::Owner;
    static Result<Class> make(const wb_class_spec &spec) {
        return detail::make<Class>([&](auto *out) { return wb_class_new(&spec, out); });
    }
    static Result<Class> parse(std::string_view name, std::string_view toml) {
        return detail::make<Class>(
            [&](auto *out) { return wb_class_parse(name.data(), name.size(), toml.data(), toml.size(), out); });
    }
    Result<Class> clone() const {
        return detail::make<Class>([&](auto *out) { return wb_class_clone(handle_, out); });
    }
    Result<wb_class_info> describe() const {
        return detail::get_sized<wb_class_info>([&](auto *out) { return wb_class_describe(handle_, out); });
    }
    Result<std::string> name() const {
        return detail::list<std::string>(
            [&](auto *to, auto room, auto *count) { return wb_class_name(handle_, to, room, count); });
    }
    Result<std::string> primitive_name(std::uint32_t primitive) const {
        return detail::list<std::string>(
            [&](auto *to, auto room, auto *count) { return wb_class_primitive_name(handle_, primitive, to, room, count); });
    }
    Result<std::vector<Cell>> cells(const Pose &pose) const {
        return detail::list<std::vector<Cell>>(
            [&](auto *to, auto room, auto *count) { return wb_class_cells(handle_, &pose, to, room, count); });
    }
    /** Why a move is illegal; empty if it is legal. */
    Result<std::string> explain_move(const Map &map, const Pose &pose, std::uint32_t primitive) const {
        return detail::list<std::string>([&](auto *to, auto room, auto *count) {
            return wb_explain_move(map.handle(), handle_, &pose, primitive, to, room, count);
        });
    }
    /** Why a pose is illegal; empty if it is legal. */
    Result<std::string> explain_pose(const Map &map, const Pose &pose) const {
        return detail::list<std::string>([&](auto *to, auto room, auto *count) {
            return wb_explain_pose(map.handle(), handle_, &pose, to, room, count);
        });
    }
};

/** A path: poses and moves. */
class Path : public detail::Owner<wb_path_destroy> {
  public:
    using Owner::Owner;
    static Result<Path> make() { return detail::make<Path>(wb_path_new); }
    Result<Span<const PathPose>> poses() const {
        return detail::borrow<PathPose>([&](auto *out, auto *count) { return wb_path_poses(handle_, out, count); });
    }
    Result<Span<const std::uint8_t>> moves() const {
        return detail::borrow<std::uint8_t>([&](auto *out, auto *count) { return wb_path_moves(handle_, out, count); });
    }
};

/** The memory of one search at a time. */
class Scratch : public detail::Owner<wb_scratch_destroy> {
  public:
    using Owner::Owner;
    static Result<Scratch> make() { return detail::make<Scratch>(wb_scratch_new); }
};

/** A request with the default values. The goals are not copied: they must live as long as the request is used. */
inline wb_request request(const Pose &start, Span<const Goal> goals) {
    wb_request asked{};
    (void)wb_request_init(&asked);
    asked.start = start;
    asked.goals = goals.data();
    asked.n_goals = goals.size();
    return asked;
}

/** The answers and paths of a batch: path n is poses[offsets[n]] to poses[offsets[n + 1] - 1]. */
struct Batch {
    std::vector<wb_answer> answers;
    std::vector<PathPose> poses;
    std::vector<std::uint8_t> moves;
    std::vector<std::size_t> offsets;
};

/** A class compiled against a map. */
class Tables : public detail::Owner<wb_tables_destroy> {
  public:
    using Owner::Owner;
    static Result<Tables> compile(const Map &map, const Class &class_) {
        return detail::make<Tables>([&](auto *out) { return wb_tables_new(map.handle(), class_.handle(), out); });
    }
    Result<Tables> clone() const {
        return detail::make<Tables>([&](auto *out) { return wb_tables_clone(handle_, out); });
    }
    /** WB_UPDATE_CHANGED, WB_UPDATE_EASED, or 0. */
    Result<std::uint32_t> update(const Map &map, const Rect &changed) {
        return detail::get<std::uint32_t>(
            [&](auto *out) { return wb_tables_update(handle_, map.handle(), &changed, out); });
    }
    Status make_components() { return Status(wb_tables_make_components(handle_)); }
    Result<bool> is_legal(const Pose &pose) const {
        std::uint8_t legal = 0;
        const std::uint32_t status = wb_tables_is_legal(handle_, &pose, &legal);
        return Result<bool>(Status(status), legal != 0);
    }
    /** WB_CONNECTED_YES, WB_CONNECTED_NO or WB_CONNECTED_UNKNOWN. */
    Result<std::uint32_t> connected(const Cell &from, const Cell &to) const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_tables_connected(handle_, &from, &to, out); });
    }
    /** The pose after a move and its ticks; 0 ticks if it is illegal. */
    Result<PathPose> move(const Pose &pose, std::uint32_t primitive) const {
        return detail::get<PathPose>(
            [&](auto *out) { return wb_tables_move(handle_, &pose, primitive, &out->pose, &out->arrival); });
    }
    /** How many leading moves are legal. */
    Result<std::size_t> check_moves(const Pose &start, Span<const std::uint8_t> moves) const {
        return detail::get<std::size_t>([&](auto *out) {
            return wb_tables_check_moves(handle_, &start, moves.data(), moves.size(), nullptr, out);
        });
    }
    Result<std::uint64_t> memory() const {
        return detail::get<std::uint64_t>([&](auto *out) { return wb_tables_memory(handle_, out); });
    }
    Result<wb_answer> plan(const wb_request &asked, Scratch &scratch, Path &path) const {
        return detail::get_sized<wb_answer>(
            [&](auto *out) { return wb_plan(handle_, &asked, scratch.handle(), path.handle(), out); });
    }
    /** Whether the search has ended already. */
    Result<bool> begin(const wb_request &asked, Scratch &scratch) const {
        std::uint8_t done = 0;
        const std::uint32_t status = wb_plan_begin(handle_, &asked, scratch.handle(), &done);
        return Result<bool>(Status(status), done != 0);
    }
    /** Whether the search has ended. */
    Result<bool> advance(Scratch &scratch, std::uint64_t expansions) const {
        std::uint8_t done = 0;
        const std::uint32_t status = wb_plan_advance(handle_, scratch.handle(), expansions, &done);
        return Result<bool>(Status(status), done != 0);
    }
    Result<wb_answer> finish(Scratch &scratch, Path &path) const {
        return detail::get_sized<wb_answer>(
            [&](auto *out) { return wb_plan_finish(handle_, scratch.handle(), path.handle(), out); });
    }
    /** Why an answer has no path to its goal; empty if it has. */
    Result<std::string> explain(const Map &map, const wb_request &asked, const wb_answer &answer) const {
        return detail::list<std::string>([&](auto *to, auto room, auto *count) {
            return wb_plan_explain(map.handle(), handle_, &asked, &answer, to, room, count);
        });
    }
    /** All requests together; the memory of `batch` is reused. */
    Status plan_batch(Span<const wb_request> requests, std::uint32_t threads, Scratch &scratch, Batch &batch) const {
        batch.answers.assign(requests.size(), wb_answer{});
        batch.offsets.assign(requests.size() + 1, 0);
        if (!batch.answers.empty()) batch.answers[0].size = sizeof(wb_answer);
        for (;;) {
            // Whatever room there is, so that most often one call does.
            batch.poses.resize(batch.poses.capacity());
            batch.moves.resize(batch.poses.size());
            const std::uint32_t status =
                wb_plan_batch(handle_, requests.data(), requests.size(), threads, scratch.handle(), batch.answers.data(),
                              batch.poses.empty() ? nullptr : batch.poses.data(),
                              batch.poses.empty() ? nullptr : batch.moves.data(), batch.poses.size(), batch.offsets.data());
            const std::size_t needed = batch.offsets.back();
            if ((status == WB_BUFFER || status == WB_OK) && needed > batch.poses.size()) {
                batch.poses.reserve(needed);
                continue;
            }
            batch.poses.resize(status == WB_OK ? needed : 0);
            batch.moves.resize(batch.poses.size());
            return Status(status);
        }
    }
};

/** The costs between one end and all poses. */
class Field : public detail::Owner<wb_field_destroy> {
  public:
    using Owner::Owner;
    static Result<Field> to_goal(const Tables &tables, Span<const Goal> goals, std::uint32_t within = 0) {
        return detail::make<Field>(
            [&](auto *out) { return wb_field_to_goal(tables.handle(), goals.data(), goals.size(), within, out); });
    }
    static Result<Field> from_pose(const Tables &tables, const Pose &start) {
        return detail::make<Field>([&](auto *out) { return wb_field_from_pose(tables.handle(), &start, out); });
    }
    /** Whether every pose that can be reached is settled. */
    Result<bool> settle(const Tables &tables, std::uint64_t expansions) {
        std::uint8_t complete = 0;
        const std::uint32_t status = wb_field_settle(handle_, tables.handle(), expansions, &complete);
        return Result<bool>(Status(status), complete != 0);
    }
    Status repair(const Tables &tables, const Rect &changed) {
        return Status(wb_field_repair(handle_, tables.handle(), &changed));
    }
    /** Ticks; WB_NEVER if there is no way. */
    Result<std::uint32_t> cost(const Tables &tables, const Pose &pose) const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_field_cost(handle_, tables.handle(), &pose, out); });
    }
    Result<std::vector<PathPose>> within(const Tables &tables, std::uint32_t ticks) {
        return detail::list<std::vector<PathPose>>([&](auto *to, auto room, auto *count) {
            return wb_field_within(handle_, tables.handle(), ticks, to, room, count);
        });
    }
    /** Whether there is a path. */
    Result<bool> path(const Tables &tables, const Pose &pose, Path &path) const {
        std::uint8_t found = 0;
        const std::uint32_t status = wb_field_path(handle_, tables.handle(), &pose, path.handle(), &found);
        return Result<bool>(Status(status), found != 0);
    }
    /** The number of the next primitive; WB_NONE at the goal and where there is no way. */
    Result<std::uint32_t> next(const Tables &tables, const Pose &pose, Pose *after = nullptr) const {
        return detail::get<std::uint32_t>(
            [&](auto *out) { return wb_field_next(handle_, tables.handle(), &pose, out, after); });
    }
};

/** An answer of a queue; its path lives until the next frame begins. */
struct QueueAnswer {
    std::uint64_t ticket = 0;
    wb_answer answer{};
    Span<const PathPose> poses;
    Span<const std::uint8_t> moves;
};

/** A queue of path requests with a budget a frame. */
class Queue : public detail::Owner<wb_queue_destroy> {
  public:
    using Owner::Owner;
    static Result<Queue> make(std::uint32_t width, std::uint32_t height, std::uint32_t classes, std::uint32_t slots) {
        return detail::make<Queue>([&](auto *out) { return wb_queue_new(width, height, classes, slots, out); });
    }
    /** The ticket. */
    Result<std::uint64_t> submit(std::uint32_t class_, const wb_request &asked, std::int32_t priority = 0) {
        return detail::get<std::uint64_t>([&](auto *out) { return wb_queue_submit(handle_, class_, &asked, priority, out); });
    }
    Status cancel(std::uint64_t ticket) { return Status(wb_queue_cancel(handle_, ticket)); }
    Result<std::size_t> open() const {
        return detail::get<std::size_t>([&](auto *out) { return wb_queue_open(handle_, out); });
    }
    /** A frame on the calling thread; the number of answers. Tables by handle: `{lorry.handle(), tank.handle()}`. */
    Result<std::size_t> advance(Span<const std::uint64_t> tables, std::uint64_t budget) {
        return detail::get<std::size_t>(
            [&](auto *out) { return wb_queue_advance(handle_, tables.data(), tables.size(), budget, out); });
    }
    /** A frame on the host's threads: `run_all(jobs, run)` has to call `run(job)` for each job from 0, on any threads, and to
     * return when all have returned. The number of answers. */
    template <typename F>
    Result<std::size_t> advance_on(Span<const std::uint64_t> tables, std::uint64_t budget, F &&run_all) {
        std::size_t jobs = 0;
        std::size_t answers = 0;
        std::uint32_t status = wb_queue_begin(handle_, tables.data(), tables.size(), budget, &jobs);
        // Where nothing is to be done there are no answers either.
        while (status == WB_OK && jobs > 0) {
            run_all(jobs, [queue = handle_](std::size_t job) { (void)wb_queue_run(queue, job); });
            status = wb_queue_end(handle_, &jobs, &answers);
        }
        return Result<std::size_t>(Status(status), answers);
    }
    Result<QueueAnswer> answer(std::size_t number) const {
        QueueAnswer found;
        found.answer.size = sizeof found.answer;
        const PathPose *poses = nullptr;
        const std::uint8_t *moves = nullptr;
        std::size_t count = 0;
        const std::uint32_t status = wb_queue_answer(handle_, number, &found.ticket, &found.answer, &poses, &moves, &count);
        found.poses = Span<const PathPose>(poses, count);
        found.moves = Span<const std::uint8_t>(moves, count == 0 ? 0 : count - 1);
        return Result<QueueAnswer>(Status(status), found);
    }
};

/** Settings with the default values. */
inline wb_settings settings() {
    wb_settings usual{};
    (void)wb_settings_init(&usual);
    return usual;
}

/** An order of a kind, with the default values. */
inline wb_order order(std::uint32_t kind) {
    wb_order usual{};
    (void)wb_order_init(&usual, kind);
    return usual;
}

/** The order to go to a member of the goal. The goals are not copied: they have to live until the order is given. */
inline wb_order go_to(Span<const Goal> goals) {
    wb_order usual = order(WB_ORDER_GOTO);
    usual.goals = goals.data();
    usual.n_goals = goals.size();
    return usual;
}

/** An agent to be placed. */
inline wb_spawn spawn(std::uint32_t class_, const Pose &pose, Span<const wb_order> orders = {}) {
    wb_spawn usual{};
    usual.size = sizeof usual;
    usual.class_ = class_;
    usual.pose = pose;
    usual.orders = orders.data();
    usual.n_orders = orders.size();
    return usual;
}

/** Agents to be placed at random. */
inline wb_spawn_group spawn_group(std::uint32_t class_, std::uint32_t count, const Rect &area,
                                  Span<const wb_order> orders = {}) {
    wb_spawn_group usual{};
    usual.size = sizeof usual;
    usual.class_ = class_;
    usual.count = count;
    usual.area = area;
    usual.orders = orders.data();
    usual.n_orders = orders.size();
    return usual;
}

/** Tasks at random cells of an area. */
inline wb_task_source random_tasks(const Rect &area) {
    wb_task_source usual{};
    usual.size = sizeof usual;
    usual.kind = WB_TASKS_RANDOM;
    usual.area = area;
    return usual;
}

/** Why an agent does not move on: in parts, and in words. */
struct WaitReason {
    wb_wait_reason parts{};
    std::string text;
};

/** The paths for a host to find: the goals of request n are goals[first_goal] to goals[first_goal + n_goals - 1]. */
struct PathRequests {
    std::vector<wb_path_request> requests;
    std::vector<Goal> goals;
};

/** A world in the making. */
class Setup : public detail::Owner<wb_setup_destroy> {
  public:
    using Owner::Owner;
    static Result<Setup> make(const Map &map, const wb_settings &settings) {
        return detail::make<Setup>([&](auto *out) { return wb_setup_new(map.handle(), &settings, out); });
    }
    /** The number of the class. */
    Result<std::uint32_t> add(const Class &class_) { return add_class(class_.handle()); }
    Result<std::uint32_t> add(const Tables &tables) { return add_class(tables.handle()); }
    /** The id of the agent. */
    Result<std::uint32_t> add(const wb_spawn &agent) {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_setup_agent(handle_, &agent, out); });
    }
    Status friends(std::uint32_t one, std::uint32_t other) { return Status(wb_setup_friends(handle_, one, other)); }
    Status tune(std::string_view name, std::uint32_t value) {
        return Status(wb_setup_tune(handle_, name.data(), name.size(), value));
    }
    Status ease(Span<const Change> changes) { return Status(wb_setup_ease(handle_, changes.data(), changes.size())); }

  private:
    Result<std::uint32_t> add_class(std::uint64_t of) {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_setup_class(handle_, of, out); });
    }
};

/** A world of agents. Commands take effect at the next tick, or with `tick` at that one, and give their ticket. */
class World : public detail::Owner<wb_world_destroy> {
  public:
    using Owner::Owner;
    static Result<World> make(const Setup &setup) {
        return detail::make<World>([&](auto *out) { return wb_world_new(setup.handle(), out); });
    }
    static Result<World> open(std::string_view path, std::uint32_t threads = 0) {
        return detail::make<World>([&](auto *out) { return wb_world_open(path.data(), path.size(), threads, out); });
    }
    static Result<World> parse(std::string_view name, std::string_view contents, Span<const wb_file> files = {},
                               std::uint32_t threads = 0) {
        return detail::make<World>([&](auto *out) {
            return wb_world_parse(name.data(), name.size(), detail::bytes(contents), contents.size(), files.data(),
                                  files.size(), threads, out);
        });
    }
    static Result<World> load(Span<const std::uint8_t> saved, std::uint32_t threads = 0) {
        return detail::make<World>([&](auto *out) { return wb_world_load(saved.data(), saved.size(), threads, out); });
    }
    Result<World> clone() const {
        return detail::make<World>([&](auto *out) { return wb_world_clone(handle_, out); });
    }
    Status copy_from(const World &from) { return Status(wb_world_copy_from(handle_, from.handle())); }
    Result<std::vector<std::uint8_t>> save() const {
        return detail::list<std::vector<std::uint8_t>>(
            [&](auto *to, auto room, auto *count) { return wb_world_save(handle_, to, room, count); });
    }
    Status restore(Span<const std::uint8_t> saved) { return Status(wb_world_restore(handle_, saved.data(), saved.size())); }
    Status set_threads(std::uint32_t threads) { return Status(wb_world_set_threads(handle_, threads)); }
    Status set_ticks(std::uint32_t ticks) { return Status(wb_world_set_ticks(handle_, ticks)); }
    Status check_invariants() { return Status(wb_world_check_invariants(handle_)); }
    /** WB_RUNNING or WB_ENDED. */
    Result<std::uint32_t> step() {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_step(handle_, out); });
    }
    Result<std::uint32_t> tick() const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_tick(handle_, out); });
    }
    Result<std::uint64_t> hash() const {
        return detail::get<std::uint64_t>([&](auto *out) { return wb_world_hash(handle_, out); });
    }
    Result<Span<const AgentRow>> agents() const {
        return detail::borrow<AgentRow>([&](auto *out, auto *count) { return wb_world_agents(handle_, out, count); });
    }
    Result<Span<const EventRow>> events() const {
        return detail::borrow<EventRow>([&](auto *out, auto *count) { return wb_world_events(handle_, out, count); });
    }
    Result<EventDetails> event_details(std::size_t index) const {
        return detail::get_sized<EventDetails>([&](auto *out) { return wb_world_event_details(handle_, index, out); });
    }
    Result<AgentRow> agent(std::uint32_t id) const {
        return detail::get<AgentRow>([&](auto *out) { return wb_world_agent(handle_, id, out); });
    }
    Result<wb_counts> counts() const {
        return detail::get_sized<wb_counts>([&](auto *out) { return wb_world_counts(handle_, out); });
    }
    Result<wb_memory> memory() const {
        return detail::get_sized<wb_memory>([&](auto *out) { return wb_world_memory(handle_, out); });
    }
    Status name_agent(std::uint32_t agent, std::string_view name) {
        return Status(wb_world_name_agent(handle_, agent, name.data(), name.size()));
    }
    Result<std::string> agent_name(std::uint32_t agent) const {
        return detail::list<std::string>(
            [&](auto *to, auto room, auto *count) { return wb_world_agent_name(handle_, agent, to, room, count); });
    }
    Result<bool> nothing_left() const {
        std::uint8_t is = 0;
        const std::uint32_t status = wb_world_nothing_left(handle_, &is);
        return Result<bool>(Status(status), is != 0);
    }
    Result<Map> map() const {
        return detail::make<Map>([&](auto *out) { return wb_world_map(handle_, out); });
    }
    Result<Tables> tables(std::uint32_t class_) const {
        return detail::make<Tables>([&](auto *out) { return wb_world_tables(handle_, class_, out); });
    }
    Result<Span<const std::uint8_t>> terrain() const {
        return detail::borrow<std::uint8_t>([&](auto *out, auto *count) { return wb_world_terrain(handle_, out, count); });
    }
    /** The number of classes. */
    Result<std::uint32_t> classes() const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_classes(handle_, out); });
    }
    Result<std::string> class_name(std::uint32_t class_) const {
        return detail::list<std::string>(
            [&](auto *to, auto room, auto *count) { return wb_world_class_name(handle_, class_, to, room, count); });
    }
    Result<std::vector<Cell>> class_cells(std::uint32_t class_, const Pose &pose) const {
        return detail::list<std::vector<Cell>>(
            [&](auto *to, auto room, auto *count) { return wb_world_class_cells(handle_, class_, &pose, to, room, count); });
    }
    /** A class as a separate object. */
    Result<Class> class_of(std::uint32_t class_) const {
        return detail::make<Class>([&](auto *out) { return wb_world_class(handle_, class_, out); });
    }
    /** Adds a class between two ticks; its number. */
    Result<std::uint32_t> add_class(const Class &class_) {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_add_class(handle_, class_.handle(), out); });
    }
    /** Whether searches of a class use its landmarks. */
    Result<bool> landmarks_in_use(std::uint32_t class_) const {
        std::uint8_t in_use = 0;
        const std::uint32_t status = wb_world_landmarks_in_use(handle_, class_, &in_use);
        return Result<bool>(Status(status), in_use != 0);
    }
    /** The rest of an agent's path. */
    Result<std::vector<PathPose>> path(std::uint32_t agent) const {
        return detail::list<std::vector<PathPose>>(
            [&](auto *to, auto room, auto *count) { return wb_world_path(handle_, agent, to, room, count); });
    }
    /** The agent on a cell; WB_NONE if there is none. */
    Result<std::uint32_t> agent_at(const Cell &cell) const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_agent_at(handle_, &cell, out); });
    }
    Result<std::vector<std::uint32_t>> agents_in(const Rect &area) const {
        return detail::list<std::vector<std::uint32_t>>(
            [&](auto *to, auto room, auto *count) { return wb_world_agents_in(handle_, &area, to, room, count); });
    }
    /** The agents off the map that have entered `container`; WB_NONE: all. */
    Result<std::vector<std::uint32_t>> off_map(std::uint32_t container = WB_NONE) const {
        return detail::list<std::vector<std::uint32_t>>(
            [&](auto *to, auto room, auto *count) { return wb_world_off_map(handle_, container, to, room, count); });
    }
    /** Why an agent could not be placed, a WB_REFUSED_...; WB_NONE if it could. */
    Result<std::uint32_t> can_place(std::uint32_t class_, const Pose &pose) const {
        return detail::get<std::uint32_t>([&](auto *out) { return wb_world_can_place(handle_, class_, &pose, out); });
    }
    Result<WaitReason> reason_for_waiting(std::uint32_t agent) const {
        WaitReason why;
        why.parts.size = sizeof why.parts;
        why.text.resize(127);
        const std::uint32_t status = detail::filled(why.text, [&](auto *to, auto room, auto *count) {
            return wb_world_reason_for_waiting(handle_, agent, &why.parts, to, room, count);
        });
        return Result<WaitReason>(Status(status), std::move(why));
    }
    /** In a world with WB_PATHS_HOST: the paths that it waits for. */
    Result<PathRequests> path_requests() const {
        PathRequests open;
        std::size_t n_goals = 0;
        const std::uint32_t status = detail::filled(open.requests, [&](auto *to, auto room, auto *count) {
            const std::uint32_t filled =
                wb_world_path_requests(handle_, to, room, count, open.goals.data(), open.goals.size(), &n_goals);
            if (filled != WB_BUFFER || n_goals <= open.goals.size()) return filled;
            open.goals.resize(n_goals);
            return wb_world_path_requests(handle_, to, room, count, open.goals.data(), open.goals.size(), &n_goals);
        });
        open.goals.resize(status == WB_OK ? n_goals : 0);
        return Result<PathRequests>(Status(status), std::move(open));
    }
    Result<std::vector<std::uint32_t>> would_disturb(Span<const Change> changes) const {
        return detail::list<std::vector<std::uint32_t>>([&](auto *to, auto room, auto *count) {
            return wb_world_would_disturb(handle_, changes.data(), changes.size(), to, room, count);
        });
    }
    Result<std::vector<wb_group_pose>> group_poses(Span<const std::uint32_t> agents, const wb_order &order) const {
        return detail::list<std::vector<wb_group_pose>>([&](auto *to, auto room, auto *count) {
            return wb_world_group_poses(handle_, agents.data(), agents.size(), &order, to, room, count);
        });
    }
    Result<wb_answer> plan(std::uint32_t agent, Span<const Goal> goals, std::uint32_t within, Scratch &scratch, Path &path) const {
        return detail::get_sized<wb_answer>([&](auto *out) {
            return wb_world_plan(handle_, agent, goals.data(), goals.size(), within, scratch.handle(), path.handle(), out);
        });
    }
    Result<std::vector<PathPose>> reach(std::uint32_t agent, std::uint32_t ticks) const {
        return detail::list<std::vector<PathPose>>(
            [&](auto *to, auto room, auto *count) { return wb_world_reach(handle_, agent, ticks, to, room, count); });
    }

    Result<std::uint64_t> spawn(const wb_spawn &agent, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_spawn(handle_, &agent, tick, out); });
    }
    Result<std::uint64_t> spawn(const wb_spawn_group &group, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_spawn_group(handle_, &group, tick, out); });
    }
    Result<std::uint64_t> remove(Span<const std::uint32_t> agents, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_remove(handle_, agents.data(), agents.size(), tick, out); });
    }
    Result<std::uint64_t> remove_in(const Rect &area, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_remove_in(handle_, &area, tick, out); });
    }
    /** Replaces the orders of agents. */
    Result<std::uint64_t> order(Span<const std::uint32_t> agents, Span<const wb_order> orders, std::uint32_t tick = 0) {
        return command([&](auto *out) {
            return wb_command_order(handle_, agents.data(), agents.size(), orders.data(), orders.size(), 0, tick, out);
        });
    }
    /** Gives further orders behind the orders that agents have. */
    Result<std::uint64_t> append(Span<const std::uint32_t> agents, Span<const wb_order> orders, std::uint32_t tick = 0) {
        return command([&](auto *out) {
            return wb_command_order(handle_, agents.data(), agents.size(), orders.data(), orders.size(), 1, tick, out);
        });
    }
    /** As `order`, for the agents in an area. */
    Result<std::uint64_t> order_in(const Rect &area, Span<const wb_order> orders, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_order_in(handle_, &area, orders.data(), orders.size(), 0, tick, out); });
    }
    Result<std::uint64_t> append_in(const Rect &area, Span<const wb_order> orders, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_order_in(handle_, &area, orders.data(), orders.size(), 1, tick, out); });
    }
    Result<std::uint64_t> tasks(Span<const std::uint32_t> agents, const wb_task_source &source, std::uint32_t stream = 0,
                                std::uint32_t tick = 0) {
        return command([&](auto *out) {
            return wb_command_tasks(handle_, agents.data(), agents.size(), &source, stream, tick, out);
        });
    }
    Result<std::uint64_t> tasks_in(const Rect &area, const wb_task_source &source, std::uint32_t stream = 0,
                                   std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_tasks_in(handle_, &area, &source, stream, tick, out); });
    }
    /** Without a pose the agent keeps cell and heading. */
    Result<std::uint64_t> set_class(std::uint32_t agent, std::uint32_t class_, const Pose *pose = nullptr,
                                    std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_class(handle_, agent, class_, pose, tick, out); });
    }
    Result<std::uint64_t> set_speed_factor(Span<const std::uint32_t> agents, std::uint32_t permille, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_speed_factor(handle_, agents.data(), agents.size(), permille, tick, out); });
    }
    Result<std::uint64_t> set_speed_factor_in(const Rect &area, std::uint32_t permille, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_speed_factor_in(handle_, &area, permille, tick, out); });
    }
    Result<std::uint64_t> set_priority(Span<const std::uint32_t> agents, std::int32_t priority, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_priority(handle_, agents.data(), agents.size(), priority, tick, out); });
    }
    Result<std::uint64_t> set_priority_in(const Rect &area, std::int32_t priority, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_priority_in(handle_, &area, priority, tick, out); });
    }
    Result<std::uint64_t> set_team(Span<const std::uint32_t> agents, std::uint32_t team, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_team(handle_, agents.data(), agents.size(), team, tick, out); });
    }
    Result<std::uint64_t> set_team_in(const Rect &area, std::uint32_t team, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_team_in(handle_, &area, team, tick, out); });
    }
    /** Takes agents off the map, into `container`, or WB_NONE. They keep their orders. */
    Result<std::uint64_t> enter(Span<const std::uint32_t> agents, std::uint32_t container = WB_NONE, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_enter(handle_, agents.data(), agents.size(), container, tick, out); });
    }
    Result<std::uint64_t> enter_in(const Rect &area, std::uint32_t container = WB_NONE, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_enter_in(handle_, &area, container, tick, out); });
    }
    /** Puts an agent that is off the map back, in the pose or the free one nearest to it. */
    Result<std::uint64_t> leave(std::uint32_t agent, const Pose &pose, bool or_nearest = true, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_leave(handle_, agent, &pose, or_nearest ? 1 : 0, tick, out); });
    }
    /** Withdraws an edit that still waits, by the ticket of its command. */
    Result<std::uint64_t> cancel_edit(std::uint64_t edit, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_cancel_edit(handle_, edit, tick, out); });
    }
    /** In a world with WB_RULE_COMMANDED: the primitive for each of the agents. Of a longer array the rest is ignored. */
    Result<std::uint64_t> decide(Span<const std::uint32_t> agents, Span<const std::uint8_t> primitives, std::uint32_t tick = 0) {
        const std::size_t n = agents.size() < primitives.size() ? agents.size() : primitives.size();
        return command(
            [&](auto *out) { return wb_command_decisions(handle_, agents.data(), primitives.data(), n, tick, out); });
    }
    /** In a world with WB_PATHS_HOST: the moves of a path that it waits for. */
    Result<std::uint64_t> answer_path(std::uint32_t agent, Span<const std::uint8_t> moves, std::uint32_t tick = 0) {
        return command(
            [&](auto *out) { return wb_command_path_answer(handle_, agent, 1, moves.data(), moves.size(), tick, out); });
    }
    /** As `answer_path`: there is no path. */
    Result<std::uint64_t> answer_no_path(std::uint32_t agent, std::uint32_t tick = 0) {
        return command([&](auto *out) { return wb_command_path_answer(handle_, agent, 0, nullptr, 0, tick, out); });
    }
    Result<std::uint64_t> edit(Span<const Change> changes, std::uint32_t on_agents, std::uint32_t deadline, std::uint32_t tick = 0) {
        return command([&](auto *out) {
            return wb_command_edit(handle_, changes.data(), changes.size(), on_agents, deadline, tick, out);
        });
    }

  private:
    template <typename F> Result<std::uint64_t> command(F &&call) { return detail::get<std::uint64_t>(call); }
};

/** A recording of a world, which `wheelbase verify` and `wheelbase render` read. */
class Recording : public detail::Owner<wb_recording_destroy> {
  public:
    using Owner::Owner;
    static Result<Recording> begin(const World &world) {
        return detail::make<Recording>([&](auto *out) { return wb_recording_begin(world.handle(), out); });
    }
    /** After each step, with its result. */
    Status tick(const World &world, std::uint32_t state) { return Status(wb_recording_tick(handle_, world.handle(), state)); }
    Result<std::vector<std::uint8_t>> finish(const World &world) {
        return detail::list<std::vector<std::uint8_t>>(
            [&](auto *to, auto room, auto *count) { return wb_recording_finish(handle_, world.handle(), to, room, count); });
    }
};

} // namespace wheelbase

#endif
