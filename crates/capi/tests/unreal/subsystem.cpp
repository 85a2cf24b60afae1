// Runs the subsystem of crates/capi/unreal without the engine: mistakes, units, an order, a save.
#include "WheelbaseSubsystem.h"

#include <cstdlib>

static const char Rows[] = "................\n................\n................\n................\n";
static const char Tank[] = R"([class.tank]
headings = 4
footprint = ["X>"]
moves = [
  { name = "forward", by = [1, 0], time = 5 },
  { name = "reverse", by = [-1, 0], time = 10 },
  { name = "left", turn = 1, time = 5 },
  { name = "right", turn = -1, time = 5 },
]
)";

static void Require(bool Is, const char *What) {
    if (Is) return;
    std::fprintf(stderr, "the subsystem: %s; its last message: %s\n", What, LastLog.c_str());
    std::exit(1);
}

static bool Said(const char *Text) { return LastLog.find(Text) != std::string::npos; }

int main() {
    UWheelbaseSubsystem World, Other;
    Require(World.Spawn({0, 0}, 0, 0) == -1 && Said("call Begin"), "a unit without a world");
    Require(!World.Begin("..\n.?\n", Tank, 1) && Said("?"), "a letter that is none");
    Require(!World.Begin(Rows, "[class.tank]\nheadings = 5\n", 1) && Said("class:2:"), "a class that is none");
    Require(World.Begin(Rows, Tank, 1), "a world");

    std::vector<int32> Spawned, Arrived;
    std::string Refused;
    World.OnSpawned.Receivers.push_back([&](int32 Unit) { Spawned.push_back(Unit); });
    World.OnArrived.Receivers.push_back([&](int32 Unit) { Arrived.push_back(Unit); });
    World.OnRefused.Receivers.push_back([&](int32, const FString &Reason) { Refused = *Reason; });
    Require(World.Spawn({2, 1}, 0, 0) >= 0 && World.Spawn({2, 2}, 1, 0) >= 0 && World.Spawn({99, 2}, 0, 0) >= 0, "three tickets");
    World.Tick(0.05f);
    Require(Spawned == std::vector<int32>{0, 1} && Refused == "illegal_pose", "two units, and a refusal");
    Require(World.UnitTransform(1).Location.Y == 250.0 && World.UnitTransform(1).Rotation.Yaw == -90.0, "a unit to the north");
    Require(World.UnitTransform(7).Location.X == 0.0, "a unit that is none");

    Require(World.Send(World.Units(), World.CellAt({1150.0, 150.0, 0.0})) >= 0, "an order");
    bool IsBetween = false;
    for (int Frame = 0; Frame < 20; Frame++) {
        World.Tick(0.03f);
        IsBetween |= std::fmod(World.UnitTransform(0).Location.X, 50.0) != 0.0;
    }
    Require(IsBetween, "nobody is drawn between two cells");
    TArray<uint8> Bytes = World.Save();
    Require(Other.Load(Bytes) && Other.StateHash() == World.StateHash(), "the loaded world is another one");
    for (int Frame = 0; Frame < 400; Frame++) {
        World.Tick(0.05f);
        Other.Tick(0.05f);
    }
    Require(Arrived.size() == 2, "both have arrived");
    Require(World.UnitTransform(0).Location.X > 900.0, "where they went");
    Require(World.StateHash() == Other.StateHash(), "the loaded world goes another way");
    Bytes[Bytes.Num() / 2] ^= 1;
    Require(!Other.Load(Bytes) && Said("damaged"), "a damaged save");
    World.OnRemoved.Receivers.push_back([&](int32) { World.Deinitialize(); });
    Require(World.Remove({0}) >= 0, "a removal");
    World.Tick(0.05f);
    World.Tick(0.05f);
    Require(World.Units().Num() == 0, "a world that was ended by its event");
    std::printf("hash %016llx\n", static_cast<unsigned long long>(Other.StateHash()));
}
