//! Handles: numbers that stand for the objects of a host.
//!
//! A handle holds a place in a table (32 bits), the generation of that place (24 bits) and the kind of the object
//! (8 bits). A place counts its generations, so that the handle of a destroyed object never reaches its successor. Each
//! place has a lock which is tried and never waited for: calls that exclude each other get [`WB_BUSY`], none blocks.

use crate::status::{Failure, WB_BROKEN, WB_BUSY, WB_DESTROYED, WB_LIMIT, WB_NO_HANDLE, WB_WRONG_KIND};
use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// The kind of an object, in the highest byte of its handle.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Map = 1,
    Class = 2,
    Tables = 3,
    Scratch = 4,
    Path = 5,
    Field = 6,
    Queue = 8,
    World = 9,
    Setup = 10,
    Recording = 11,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Map,
        Self::Class,
        Self::Tables,
        Self::Scratch,
        Self::Path,
        Self::Field,
        Self::Queue,
        Self::World,
        Self::Setup,
        Self::Recording,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Class => "class",
            Self::Tables => "tables",
            Self::Scratch => "scratch",
            Self::Path => "path",
            Self::Field => "field",
            Self::Queue => "queue",
            Self::World => "world",
            Self::Setup => "setup",
            Self::Recording => "recording",
        }
    }

    fn of(handle: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == handle >> 56)
    }
}

/// What a handle can stand for.
pub(crate) trait Object: Any + Send + Sync {
    const KIND: Kind;
}

/// A place of the table.
#[derive(Default)]
struct Slot {
    generation: u32,
    object: Option<Box<dyn Any + Send + Sync>>,
}

/// A place with its lock.
#[derive(Default)]
struct Place {
    /// Generation and kind, as in the upper half of the handle of the object here; 0 without one. It reveals an old or
    /// forged handle while the lock is taken.
    present: AtomicU32,
    slot: RwLock<Slot>,
}

const BLOCK: usize = 1024;
const BLOCKS: usize = 1024;
/// A place whose generations are used up is never given out again.
const GENERATION_MAX: u32 = (1 << 24) - 1;

/// Blocks of places. They are made when they are needed, and stay.
static TABLE: [OnceLock<Box<[Place]>>; BLOCKS] = [const { OnceLock::new() }; BLOCKS];

/// The places that are free: those given back, last first, and all from `fresh` on.
struct Free {
    fresh: usize,
    given_back: Vec<u32>,
}

static FREE: Mutex<Free> = Mutex::new(Free { fresh: 0, given_back: Vec::new() });

/// A new object's handle.
pub(crate) fn insert<T: Object>(object: T) -> Result<u64, Failure> {
    let index = {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        match free.given_back.pop() {
            Some(index) => index as usize,
            None if free.fresh < BLOCK * BLOCKS => {
                free.fresh += 1;
                free.fresh - 1
            }
            None => {
                let message = format!("{} objects are alive; destroy some", BLOCK * BLOCKS);
                return Err(Failure::new(WB_LIMIT, message));
            }
        }
    };
    let block = TABLE[index / BLOCK].get_or_init(|| (0..BLOCK).map(|_| Place::default()).collect());
    // A thread with an old handle of this place may hold the lock for an instant, to find that it is old.
    let place = &block[index % BLOCK];
    let mut slot = place.slot.write().unwrap_or_else(PoisonError::into_inner);
    place.slot.clear_poison();
    slot.generation += 1;
    slot.object = Some(Box::new(object));
    let present = slot.generation | (T::KIND as u32) << 24;
    place.present.store(present, Ordering::Relaxed);
    Ok(index as u64 | u64::from(present) << 32)
}

/// The object of a handle, for reading. Any number of threads may read together.
pub(crate) fn shared<T: Object>(handle: u64) -> Result<Shared<T>, Failure> {
    let place = place::<T>(handle)?;
    let slot = match place.slot.try_read() {
        Ok(slot) => slot,
        Err(TryLockError::WouldBlock) => return Err(busy::<T>(handle, place)),
        Err(TryLockError::Poisoned(slot)) => return Err(broken::<T>(handle, slot.into_inner().generation)),
    };
    check::<T>(handle, &slot)?;
    Ok(Shared { slot, object: PhantomData })
}

/// The object of a handle, for changing. A panic meanwhile leaves it broken.
pub(crate) fn exclusive<T: Object>(handle: u64) -> Result<Exclusive<T>, Failure> {
    let place = place::<T>(handle)?;
    let slot = match place.slot.try_write() {
        Ok(slot) => slot,
        Err(TryLockError::WouldBlock) => return Err(busy::<T>(handle, place)),
        Err(TryLockError::Poisoned(slot)) => return Err(broken::<T>(handle, slot.into_inner().generation)),
    };
    check::<T>(handle, &slot)?;
    Ok(Exclusive { slot, object: PhantomData })
}

/// Destroys an object, a broken one too. Handle 0 is nothing, and destroying it does nothing.
pub(crate) fn destroy<T: Object>(handle: u64) -> Result<(), Failure> {
    if handle == 0 {
        return Ok(());
    }
    let place = place::<T>(handle)?;
    let object = {
        let mut slot = match place.slot.try_write() {
            Ok(slot) => slot,
            Err(TryLockError::WouldBlock) => return Err(busy::<T>(handle, place)),
            Err(TryLockError::Poisoned(slot)) => slot.into_inner(),
        };
        check::<T>(handle, &slot)?;
        if slot.generation < GENERATION_MAX {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).given_back.push(handle as u32);
        }
        place.present.store(0, Ordering::Relaxed);
        slot.object.take()
    };
    place.slot.clear_poison();
    drop(object);
    Ok(())
}

/// The place of a handle, if its kind is right and there is such a place.
fn place<T: Object>(handle: u64) -> Result<&'static Place, Failure> {
    let index = handle as u32 as usize;
    let found = Kind::of(handle);
    let block = TABLE.get(index / BLOCK).and_then(OnceLock::get);
    match (found, block) {
        (Some(kind), Some(block)) if kind == T::KIND => Ok(&block[index % BLOCK]),
        (Some(kind), Some(_)) => {
            let message = format!("a handle of kind {}, expected {}", kind.name(), T::KIND.name());
            Err(Failure::new(WB_WRONG_KIND, message))
        }
        _ => Err(no_handle::<T>(handle)),
    }
}

/// Whether the object of a handle is the present one of its place.
fn check<T: Object>(handle: u64, slot: &Slot) -> Result<(), Failure> {
    let generation = (handle >> 32) as u32 & GENERATION_MAX;
    let is_alive = slot.object.as_ref().is_some_and(|object| object.is::<T>());
    if generation == slot.generation && is_alive {
        Ok(())
    } else if generation == 0 || generation > slot.generation {
        Err(no_handle::<T>(handle))
    } else {
        Err(destroyed::<T>())
    }
}

fn destroyed<T: Object>() -> Failure {
    Failure::new(WB_DESTROYED, format!("this {} has been destroyed", T::KIND.name()))
}

fn no_handle<T: Object>(handle: u64) -> Failure {
    Failure::new(WB_NO_HANDLE, format!("{handle:#x} is no handle, expected one of kind {}", T::KIND.name()))
}

/// The failure of a handle whose place is locked: by a call with its object, or with the object that is here now.
fn busy<T: Object>(handle: u64, place: &Place) -> Failure {
    let present = place.present.load(Ordering::Relaxed);
    let (given, generation) = ((handle >> 32) as u32, present & GENERATION_MAX);
    if present != given && (1..generation).contains(&(given & GENERATION_MAX)) {
        return destroyed::<T>();
    }
    if present != given {
        return no_handle::<T>(handle);
    }
    let message =
        format!("another thread is in a call with this {}, which excludes this call", T::KIND.name());
    Failure::new(WB_BUSY, message)
}

fn broken<T: Object>(handle: u64, generation: u32) -> Failure {
    if (handle >> 32) as u32 & GENERATION_MAX == generation {
        let message = format!("a call panicked while it changed this {}: destroy it", T::KIND.name());
        Failure::new(WB_BROKEN, message)
    } else {
        destroyed::<T>()
    }
}

/// An object that is being read.
pub(crate) struct Shared<T> {
    slot: RwLockReadGuard<'static, Slot>,
    object: PhantomData<T>,
}

/// An object that is being changed.
pub(crate) struct Exclusive<T> {
    slot: RwLockWriteGuard<'static, Slot>,
    object: PhantomData<T>,
}

impl<T: Object> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        object(&self.slot)
    }
}

impl<T: Object> Deref for Exclusive<T> {
    type Target = T;

    fn deref(&self) -> &T {
        object(&self.slot)
    }
}

impl<T: Object> DerefMut for Exclusive<T> {
    fn deref_mut(&mut self) -> &mut T {
        match self.slot.object.as_mut().and_then(|object| object.downcast_mut()) {
            Some(object) => object,
            None => unreachable!("checked when the lock was taken"),
        }
    }
}

fn object<T: Object>(slot: &Slot) -> &T {
    match slot.object.as_ref().and_then(|object| object.downcast_ref()) {
        Some(object) => object,
        None => unreachable!("checked when the lock was taken"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u32);
    impl Object for Number {
        const KIND: Kind = Kind::Path;
    }
    struct Other;
    impl Object for Other {
        const KIND: Kind = Kind::Field;
    }

    fn status<T>(result: Result<T, Failure>) -> u32 {
        result.err().map_or(0, |failure| failure.status)
    }

    #[test]
    fn handles_reach_their_object_alone() {
        let handle = insert(Number(7)).unwrap();
        let other = insert(Other).unwrap();
        assert_eq!(shared::<Number>(handle).unwrap().0, 7);
        exclusive::<Number>(handle).unwrap().0 = 8;
        assert_eq!(shared::<Number>(handle).unwrap().0, 8);
        assert_eq!(status(shared::<Number>(0)), WB_NO_HANDLE);
        assert_eq!(status(shared::<Number>(other)), WB_WRONG_KIND);
        assert_eq!(status(shared::<Number>(handle + (1 << 32))), WB_NO_HANDLE);
        assert_eq!(status(shared::<Number>(handle | 0xffff_ffff)), WB_NO_HANDLE);
        destroy::<Number>(handle).unwrap();
        destroy::<Number>(0).unwrap();
        assert_eq!(status(shared::<Number>(handle)), WB_DESTROYED);
        assert_eq!(status(destroy::<Number>(handle)), WB_DESTROYED);
        destroy::<Other>(other).unwrap();
    }

    #[test]
    fn calls_that_exclude_each_other_are_told_so() {
        let handle = insert(Number(1)).unwrap();
        let reading = shared::<Number>(handle).unwrap();
        assert_eq!(status(shared::<Number>(handle)), 0);
        assert_eq!(status(exclusive::<Number>(handle)), WB_BUSY);
        assert_eq!(status(destroy::<Number>(handle)), WB_BUSY);
        drop(reading);
        let changing = exclusive::<Number>(handle).unwrap();
        assert_eq!(status(shared::<Number>(handle)), WB_BUSY);
        // A caller with a forged handle of the place is not told to wait.
        assert_eq!(status(shared::<Number>(handle + (1 << 32))), WB_NO_HANDLE);
        let as_field = handle & !(0xff << 56) | (Kind::Field as u64) << 56;
        assert_eq!(status(shared::<Other>(as_field)), WB_NO_HANDLE);
        drop(changing);
        destroy::<Number>(handle).unwrap();
    }

    #[test]
    fn an_object_is_broken_by_a_panic_and_can_be_destroyed() {
        let handle = insert(Number(1)).unwrap();
        let panicked = std::panic::catch_unwind(|| {
            let _changing = exclusive::<Number>(handle).unwrap();
            panic!("on purpose");
        });
        assert!(panicked.is_err());
        assert_eq!(status(shared::<Number>(handle)), WB_BROKEN);
        assert_eq!(status(exclusive::<Number>(handle)), WB_BROKEN);
        destroy::<Number>(handle).unwrap();
        assert_eq!(status(shared::<Number>(handle)), WB_DESTROYED);
        let again = insert(Number(2)).unwrap();
        assert_eq!(shared::<Number>(again).unwrap().0, 2);
        destroy::<Number>(again).unwrap();
    }
}
