#pragma once

#include "CoreMinimal.h"

class UTickableWorldSubsystem {
public:
    virtual ~UTickableWorldSubsystem() = default;
    virtual void Deinitialize() {}
    virtual void Tick(float) {}
    virtual TStatId GetStatId() const = 0;
};
