// Stand-ins for the few parts of Unreal that crates/capi/unreal uses, with the engine's names and meanings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// As in the engine: a macro with this name breaks headers that have a method `check`.
#define check(expr) \
    if (!(expr)) std::abort()
#define TEXT(text) text
#define TCHAR_TO_UTF8(text) text
#define UTF8_TO_TCHAR(text) text
#define UCLASS(...)
#define UPROPERTY(...)
#define UFUNCTION(...)
#define GENERATED_BODY() \
public: \
    using Super = UTickableWorldSubsystem; \
\
private:
#define WHEELBASE_API
#define DEFINE_LOG_CATEGORY_STATIC(name, ...) static const char *const name = #name
#define UE_LOG(category, verbosity, ...) (LastLog.resize(1000), std::snprintf(&LastLog[0], 1000, __VA_ARGS__), (void)category)
#define DECLARE_DYNAMIC_MULTICAST_DELEGATE_OneParam(name, type, parameter) using name = TDelegate<type>
#define DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(name, type, parameter, type2, parameter2) using name = TDelegate<type, type2>
#define RETURN_QUICK_DECLARE_CYCLE_STAT(name, group) return TStatId()

using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint32 = std::uint32_t;

inline std::string LastLog;

struct FString {
    std::string Text;
    FString(const char *Text) : Text(Text) {}
    const char *operator*() const { return Text.c_str(); }
};

template <typename T> struct TArray {
    std::vector<T> Values;
    TArray(std::initializer_list<T> Values = {}) : Values(Values) {}
    void Add(T Value) { Values.push_back(Value); }
    void Append(const T *First, int32 Count) { Values.insert(Values.end(), First, First + Count); }
    int32 Num() const { return static_cast<int32>(Values.size()); }
    const T *GetData() const { return Values.data(); }
    T &operator[](int32 Index) { return Values.at(static_cast<std::size_t>(Index)); }
    auto begin() const { return Values.begin(); }
    auto end() const { return Values.end(); }
};

template <typename T> struct TSharedPtr : std::shared_ptr<T> {
    using std::shared_ptr<T>::shared_ptr;
    TSharedPtr(std::shared_ptr<T> Other) : std::shared_ptr<T>(std::move(Other)) {}
    void Reset() { this->reset(); }
};
template <typename T, typename... A> TSharedPtr<T> MakeShared(A &&...Arguments) {
    return std::make_shared<T>(std::forward<A>(Arguments)...);
}

template <typename... A> struct TDelegate {
    std::vector<std::function<void(A...)>> Receivers;
    void Broadcast(A... Arguments) {
        for (auto &Receiver : Receivers) Receiver(Arguments...);
    }
};

struct FIntPoint {
    int32 X, Y;
    FIntPoint(int32 X, int32 Y) : X(X), Y(Y) {}
};
struct FVector {
    double X, Y, Z;
    FVector(double X, double Y, double Z) : X(X), Y(Y), Z(Z) {}
};
struct FRotator {
    double Pitch, Yaw, Roll;
    FRotator(double Pitch, double Yaw, double Roll) : Pitch(Pitch), Yaw(Yaw), Roll(Roll) {}
};
struct FTransform {
    FRotator Rotation{0, 0, 0};
    FVector Location{0, 0, 0};
    FTransform() = default;
    FTransform(const FRotator &Rotation, const FVector &Location) : Rotation(Rotation), Location(Location) {}
    static const FTransform Identity;
};
inline const FTransform FTransform::Identity;

struct FMath {
    static double Clamp(double Value, double Min, double Max) { return std::clamp(Value, Min, Max); }
    static double Lerp(double A, double B, double Part) { return A + (B - A) * Part; }
    static double Min(double A, double B) { return std::min(A, B); }
    static int32 FloorToInt32(double Value) { return static_cast<int32>(std::floor(Value)); }
};

struct TStatId {};
