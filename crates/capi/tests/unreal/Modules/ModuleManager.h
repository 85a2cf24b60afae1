#pragma once

struct FDefaultModuleImpl {};

#define IMPLEMENT_MODULE(type, name) \
    type *make_##name() { return new type(); }
