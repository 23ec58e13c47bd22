// What of user defaults Swift cannot do by itself: to begin before main, and to give an object another class.
#pragma once

#pragma clang assume_nonnull begin

/// Gives `object` the class `ours`: 1 when it was done, 0 where this build of Foundation is not laid out as expected.
///
/// `ours` has to be a subclass of `theirs`, the object's own class, without stored properties of its own: the object keeps
/// its size. Both are class metadata of Swift without Objective-C.
int cmanagedapplegacy_adopt(void *object, const void *ours, const void *theirs);

#pragma clang assume_nonnull end
