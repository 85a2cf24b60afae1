#include "WheelbaseSubsystem.h"

// The engine has a macro of that name, and the wrapper a method.
#pragma push_macro("check")
#undef check
#include <wheelbase.hpp>
#pragma pop_macro("check")

namespace wb = wheelbase;

DEFINE_LOG_CATEGORY_STATIC(LogWheelbase, Log, All);

struct FWheelbaseState {
    wb::World World;
    /** Headings of each class. */
    std::vector<uint32> Headings;
    uint32 Tick = 0;
    /** The time that is drawn, in ticks: in the last tick. */
    double Time = 0.0;

    explicit FWheelbaseState(wb::World &&Made) : World(std::move(Made)) {
        Tick = World.tick().value();
        Time = Tick;
        for (uint32 Class = 0; Class < World.classes().value(); Class++)
            Headings.push_back(World.class_of(Class).value().describe().value().headings);
    }
};

namespace {
/** A machine that is too slow makes the world slower, and does not stop drawing. */
constexpr double TicksBehindMax = 8.0;

void Complain(const std::string &Message) { UE_LOG(LogWheelbase, Error, TEXT("%s"), UTF8_TO_TCHAR(Message.c_str())); }

/** The ticket of a command, or -1. */
int64 Told(wb::Result<std::uint64_t> Given) {
    if (!Given.ok()) Complain(Given.message());
    return Given.ok() ? static_cast<int64>(Given.value()) : -1;
}

std::vector<std::uint32_t> Ids(const TArray<int32> &UnitIds) {
    std::vector<std::uint32_t> Given;
    for (const int32 Unit : UnitIds) Given.push_back(static_cast<std::uint32_t>(Unit));
    return Given;
}
} // namespace

bool UWheelbaseSubsystem::Begin(const FString &Map, const FString &Class, int64 Seed) {
    const auto MakeWorld = [&]() -> wb::Result<wb::World> {
        auto Grid = wb::Map::from_rows(TCHAR_TO_UTF8(*Map));
        if (!Grid) return {Grid.status(), wb::World(0)};
        auto Parsed = wb::Class::parse("class", TCHAR_TO_UTF8(*Class));
        if (!Parsed) return {Parsed.status(), wb::World(0)};
        wb_settings Settings = wb::settings();
        Settings.seed = static_cast<std::uint64_t>(Seed);
        auto Setup = wb::Setup::make(*Grid, Settings);
        if (!Setup) return {Setup.status(), wb::World(0)};
        auto Added = Setup->add(*Parsed);
        if (!Added) return {Added.status(), wb::World(0)};
        return wb::World::make(*Setup);
    };
    auto Made = MakeWorld();
    if (!Made) return Complain(Made.message()), false;
    State = MakeShared<FWheelbaseState>(std::move(Made.value()));
    return true;
}

int64 UWheelbaseSubsystem::Spawn(FIntPoint Cell, int32 Heading, int32 Team) {
    if (!State) return Complain("Spawn: there is no world: call Begin or Load first"), -1;
    wb_spawn Unit = wb::spawn(0, {Cell.X, Cell.Y, static_cast<std::uint32_t>(Heading)});
    Unit.team = static_cast<std::uint32_t>(Team);
    return Told(State->World.spawn(Unit));
}

int64 UWheelbaseSubsystem::Remove(const TArray<int32> &UnitIds) {
    if (!State) return Complain("Remove: there is no world: call Begin or Load first"), -1;
    return Told(State->World.remove(Ids(UnitIds)));
}

int64 UWheelbaseSubsystem::Send(const TArray<int32> &UnitIds, FIntPoint Cell) {
    if (!State) return Complain("Send: there is no world: call Begin or Load first"), -1;
    const wb::Goal Goals[] = {{Cell.X, Cell.Y, WB_ANY_HEADING}};
    wb_order Order = wb::go_to(Goals);
    Order.kind = WB_ORDER_GOTO_GROUP;
    const wb_order Orders[] = {Order};
    return Told(State->World.order(Ids(UnitIds), Orders));
}

TArray<int32> UWheelbaseSubsystem::Units() const {
    TArray<int32> Found;
    if (State)
        for (const wb::AgentRow &Row : State->World.agents().value()) Found.Add(static_cast<int32>(Row.id));
    return Found;
}

FTransform UWheelbaseSubsystem::UnitTransform(int32 Unit) const {
    if (!State) return FTransform::Identity;
    auto Found = State->World.agent(static_cast<std::uint32_t>(Unit));
    if (!Found) return FTransform::Identity;
    const wb::AgentRow &Row = Found.value();
    const double Length = Row.end_tick > Row.begin_tick ? Row.end_tick - Row.begin_tick : 1.0;
    const double Part = FMath::Clamp((State->Time - Row.begin_tick) / Length, 0.0, 1.0);
    const double X = FMath::Lerp(static_cast<double>(Row.from_x), static_cast<double>(Row.to_x), Part) + 0.5;
    const double Y = FMath::Lerp(static_cast<double>(Row.from_y), static_cast<double>(Row.to_y), Part) + 0.5;
    // Headings count counter-clockwise from east, and yaw clockwise, seen from above.
    const double Yaw = -360.0 * (Row.from_heading + Row.turn * Part) / State->Headings[Row.class_];
    return FTransform(FRotator(0.0, Yaw, 0.0), FVector(X * CellSize, Y * CellSize, 0.0));
}

FIntPoint UWheelbaseSubsystem::CellAt(FVector Location) const {
    return FIntPoint(FMath::FloorToInt32(Location.X / CellSize), FMath::FloorToInt32(Location.Y / CellSize));
}

int64 UWheelbaseSubsystem::StateHash() const { return State ? static_cast<int64>(State->World.hash().value()) : 0; }

TArray<uint8> UWheelbaseSubsystem::Save() const {
    TArray<uint8> Bytes;
    if (!State) return Complain("Save: there is no world: call Begin or Load first"), Bytes;
    auto Saved = State->World.save();
    if (!Saved) return Complain(Saved.message()), Bytes;
    Bytes.Append(Saved.value().data(), static_cast<int32>(Saved.value().size()));
    return Bytes;
}

bool UWheelbaseSubsystem::Load(const TArray<uint8> &Bytes) {
    auto Loaded = wb::World::load({Bytes.GetData(), static_cast<std::size_t>(Bytes.Num())});
    if (!Loaded) return Complain(Loaded.message()), false;
    State = MakeShared<FWheelbaseState>(std::move(Loaded.value()));
    return true;
}

void UWheelbaseSubsystem::Deinitialize() {
    State.Reset();
    Super::Deinitialize();
}

void UWheelbaseSubsystem::Tick(float DeltaTime) {
    Super::Tick(DeltaTime);
    // A receiver of an event may begin or load another world.
    const TSharedPtr<FWheelbaseState> Running = State;
    if (!Running) return;
    Running->Time = FMath::Min(Running->Time + DeltaTime * TicksPerSecond, Running->Tick + TicksBehindMax);
    while (State == Running && Running->Tick < Running->Time) {
        const auto Stepped = Running->World.step();
        if (!Stepped) return Complain(Stepped.message()), State.Reset();
        Running->Tick++;
        const auto Rows = Running->World.events().value();
        const std::vector<wb::EventRow> Events(Rows.begin(), Rows.end());
        for (const wb::EventRow &Event : Events) {
            // No unit is WB_NONE, which is -1.
            const int32 Unit = static_cast<int32>(Event.agent);
            if (Event.kind == WB_EVENT_SPAWNED) OnSpawned.Broadcast(Unit);
            if (Event.kind == WB_EVENT_REMOVED) OnRemoved.Broadcast(Unit);
            if (Event.kind == WB_EVENT_ORDER_DONE) OnArrived.Broadcast(Unit);
            if (Event.kind == WB_EVENT_ORDER_FAILED) OnOrderFailed.Broadcast(Unit, UTF8_TO_TCHAR(wb_failure_name(Event.c)));
            if (Event.kind == WB_EVENT_REFUSED) OnRefused.Broadcast(Unit, UTF8_TO_TCHAR(wb_refusal_name(Event.a)));
        }
    }
}

TStatId UWheelbaseSubsystem::GetStatId() const { RETURN_QUICK_DECLARE_CYCLE_STAT(UWheelbaseSubsystem, STATGROUP_Tickables); }
