#pragma once

#include "CoreMinimal.h"
#include "Subsystems/WorldSubsystem.h"
#include "WheelbaseSubsystem.generated.h"

DECLARE_DYNAMIC_MULTICAST_DELEGATE_OneParam(FWheelbaseUnitEvent, int32, Unit);
DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(FWheelbaseUnitProblem, int32, Unit, FString, Reason);

/**
 * A world of units larger than a tile, for each world of the engine. It steps as the engine ticks. Commands take effect at its next
 * tick, and return a ticket, or -1 with an error in the log. X of the engine is east and Y is south: rows of the map grow along Y.
 */
UCLASS()
class WHEELBASE_API UWheelbaseSubsystem : public UTickableWorldSubsystem {
    GENERATED_BODY()

public:
    /** Ticks per second. Units move smoothly between ticks. */
    UPROPERTY(BlueprintReadWrite, Category = "Wheelbase")
    float TicksPerSecond = 20.0f;

    /** Width of a cell in centimeters. */
    UPROPERTY(BlueprintReadWrite, Category = "Wheelbase")
    float CellSize = 100.0f;

    UPROPERTY(BlueprintAssignable, Category = "Wheelbase")
    FWheelbaseUnitEvent OnSpawned;

    UPROPERTY(BlueprintAssignable, Category = "Wheelbase")
    FWheelbaseUnitEvent OnRemoved;

    /** A unit has done an order. */
    UPROPERTY(BlueprintAssignable, Category = "Wheelbase")
    FWheelbaseUnitEvent OnArrived;

    /** A unit cannot do an order, and drops it. */
    UPROPERTY(BlueprintAssignable, Category = "Wheelbase")
    FWheelbaseUnitProblem OnOrderFailed;

    /** A command was refused. The unit is -1 if the command is about none. */
    UPROPERTY(BlueprintAssignable, Category = "Wheelbase")
    FWheelbaseUnitProblem OnRefused;

    /** Begins with a map, which is rows of letters, and one class of units, which is the text of a class file. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    bool Begin(const FString &Map, const FString &Class, int64 Seed);

    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    int64 Spawn(FIntPoint Cell, int32 Heading, int32 Team);

    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    int64 Remove(const TArray<int32> &UnitIds);

    /** Sends units to poses around a cell, shared out among them. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    int64 Send(const TArray<int32> &UnitIds, FIntPoint Cell);

    /** All units, in order. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    TArray<int32> Units() const;

    /** Where a unit is drawn in this frame: its anchor at height 0, and its heading. The identity if there is no such unit. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    FTransform UnitTransform(int32 Unit) const;

    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    FIntPoint CellAt(FVector Location) const;

    /** Equal for equal worlds on all machines. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    int64 StateHash() const;

    /** A saved game; empty on failure. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    TArray<uint8> Save() const;

    /** Continues a saved game. Bytes that are no saved game change nothing. */
    UFUNCTION(BlueprintCallable, Category = "Wheelbase")
    bool Load(const TArray<uint8> &Bytes);

    virtual void Deinitialize() override;
    virtual void Tick(float DeltaTime) override;
    virtual TStatId GetStatId() const override;

private:
    TSharedPtr<struct FWheelbaseState> State;
};
