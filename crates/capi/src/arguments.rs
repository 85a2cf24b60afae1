//! Pointers from C become references and slices here, and nowhere else.

use crate::handle::{Object, insert};
use crate::status::{Failure, WB_BUFFER, WB_POINTER, WB_SIZE};
use std::mem::MaybeUninit;

/// A structure whose first field is `size: u32`, set by the caller to what its header says. Later versions of the
/// library may append fields. A caller with an older header gives a smaller size, and the fields beyond it read as 0.
///
/// # Safety
/// `repr(C)`, the first field is a `u32`, and any bytes (all zero bytes among them) are a valid value.
pub(crate) unsafe trait Sized32: Copy {
    /// The size of the first version that was published, in bytes.
    const SIZE_MIN: usize;
    /// Its name in C.
    const NAME: &'static str;
}

/// A pointer that is neither null nor unaligned.
fn check<T>(pointer: *const T, name: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(Failure::new(WB_POINTER, format!("`{name}` is null")));
    }
    if !pointer.is_aligned() {
        let message = format!("`{name}` is not aligned to {} bytes", align_of::<T>());
        return Err(Failure::new(WB_POINTER, message));
    }
    Ok(())
}

/// The `size` of the structure at `pointer`, which this version knows. Calls that change something ask for it first, so
/// that they do nothing where their result has no place.
///
/// # Safety
/// Where not null, `pointer` is valid for reads of a `u32`.
pub(crate) unsafe fn known_size<T: Sized32>(pointer: *const T, name: &str) -> Result<usize, Failure> {
    check(pointer, name)?;
    // SAFETY: `pointer` is not null and aligned, and by this function's contract a `size` can be read there.
    let size = unsafe { pointer.cast::<u32>().read() } as usize;
    check_size::<T>(size, name)?;
    Ok(size)
}

/// The structure at `pointer`.
///
/// # Safety
/// Where not null, `pointer` is valid for reads of the number of bytes that stands in its first field.
pub(crate) unsafe fn structure<T: Sized32>(pointer: *const T, name: &str) -> Result<T, Failure> {
    // SAFETY: by this function's contract.
    let known = unsafe { known_size(pointer, name)? };
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: `known` bytes can be read by the contract; `value` has `size_of::<T>()`, which are not fewer, and is no
    // part of what the caller gave.
    unsafe { std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), value.as_mut_ptr().cast::<u8>(), known) };
    // SAFETY: by `Sized32` any bytes are a value.
    Ok(unsafe { value.assume_init() })
}

/// Writes `value` to the structure at `pointer`, as many bytes as the `size` that stands there says, which stays.
///
/// # Safety
/// Where not null, `pointer` is valid for reads and writes of the number of bytes that stands in its first field.
pub(crate) unsafe fn fill_structure<T: Sized32>(
    pointer: *mut T,
    value: &T,
    name: &str,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract.
    let known = unsafe { known_size(pointer, name)? };
    let from = std::ptr::from_ref(value).cast::<u8>();
    let head = size_of::<u32>();
    // SAFETY: `known` bytes may be written by the contract and lie in `value`, which is ours; `head` is not more.
    unsafe { std::ptr::copy_nonoverlapping(from.add(head), pointer.cast::<u8>().add(head), known - head) };
    Ok(())
}

fn check_size<T: Sized32>(size: usize, name: &str) -> Result<(), Failure> {
    // A structure of a later version is larger. We cannot obey its further fields, so it is refused.
    if (T::SIZE_MIN..=size_of::<T>()).contains(&size) {
        return Ok(());
    }
    let known = if T::SIZE_MIN == size_of::<T>() {
        format!("{}", size_of::<T>())
    } else {
        format!("{} to {}", T::SIZE_MIN, size_of::<T>())
    };
    let message = format!("`{name}.size` is {size}, expected {known}: set it to sizeof({})", T::NAME);
    Err(Failure::new(WB_SIZE, message))
}

/// The `count` structures at `pointer`, copied. They lie as far apart as the `size` of the first says, which all have.
///
/// # Safety
/// Where not null, `pointer` is valid for reads of `count` structures of the number of bytes that stands in the first
/// field of the first.
pub(crate) unsafe fn structures<T: Sized32>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: by this function's contract.
    let stride = unsafe { stride_of(pointer, count, name)? };
    let mut values = Vec::with_capacity(count);
    for number in 0..count {
        // SAFETY: `number` is below `count`, so that the place is within what can be read by the contract.
        let (at, size) = unsafe {
            let at = pointer.cast::<u8>().add(number * stride).cast::<T>();
            (at, at.cast::<u32>().read() as usize)
        };
        if size != stride {
            let message = format!("`{name}[{number}].size` is {size}, that of `{name}[0]` is {stride}");
            return Err(Failure::new(WB_SIZE, message));
        }
        // SAFETY: it has the size of the first.
        values.push(unsafe { structure(at, name)? });
    }
    Ok(values)
}

/// How far apart the structures of an array lie.
///
/// # Safety
/// Where not null, `pointer` is valid for reads of a `u32`.
unsafe fn stride_of<T: Sized32>(pointer: *const T, count: usize, name: &str) -> Result<usize, Failure> {
    // SAFETY: by this function's contract.
    let stride = unsafe { known_size(pointer, name)? };
    if !stride.is_multiple_of(align_of::<T>()) {
        let message = format!("`{name}[0].size` is {stride}: set it to sizeof({})", T::NAME);
        return Err(Failure::new(WB_SIZE, message));
    }
    if count > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::argument(format!(
            "the count of `{name}` is {count}, more than any memory holds"
        )));
    }
    Ok(stride)
}

/// Writes `values` to the array of structures at `pointer`, which lie as far apart as the `size` of the first says. The
/// sizes of the others are set to it.
///
/// # Safety
/// Where not null, `pointer` is valid for writes of as many structures as there are values, and for reads of the `size`
/// of the first.
pub(crate) unsafe fn fill_structures<T: Sized32>(
    pointer: *mut T,
    values: &[T],
    name: &str,
) -> Result<(), Failure> {
    if values.is_empty() {
        return Ok(());
    }
    // SAFETY: by this function's contract.
    let stride = unsafe { stride_of(pointer, values.len(), name)? };
    for (number, value) in values.iter().enumerate() {
        // SAFETY: `number` is below the number of structures that may be written by the contract.
        unsafe {
            let at = pointer.cast::<u8>().add(number * stride).cast::<T>();
            at.cast::<u32>().write(stride as u32);
            fill_structure(at, value, name)?;
        }
    }
    Ok(())
}

/// The `count` values at `pointer`, which may be null where there are none.
///
/// # Safety
/// Where not null, `pointer` is valid for reads of `count` values for as long as the slice is used, and nobody writes
/// to them meanwhile. Any bytes are a valid `T`.
pub(crate) unsafe fn slice<'a, T: Copy>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, name)?;
    check_count::<T>(count, name)?;
    // SAFETY: not null, aligned, within the address space; the rest is this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

fn check_count<T>(count: usize, name: &str) -> Result<(), Failure> {
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Failure::argument(format!(
            "the count of `{name}` is {count}, more than any memory holds"
        )));
    }
    Ok(())
}

/// The text of `length` bytes at `pointer`: UTF-8, with no zero byte at its end.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn text<'a>(
    pointer: *const std::ffi::c_char,
    length: usize,
    name: &str,
) -> Result<&'a str, Failure> {
    // SAFETY: by this function's contract; any byte is a `u8`.
    let bytes = unsafe { slice(pointer.cast::<u8>(), length, name)? };
    std::str::from_utf8(bytes)
        .map_err(|error| Failure::argument(format!("`{name}` is not UTF-8 at byte {}", error.valid_up_to())))
}

/// The place of a result that is written once there is one. Calls that change something ask for it first, so that they
/// do nothing where the result has no place.
///
/// # Safety
/// Where not null, `pointer` is valid for writes for as long as the place is used.
pub(crate) unsafe fn output<'a, T: Copy>(
    pointer: *mut T,
    name: &str,
) -> Result<&'a mut MaybeUninit<T>, Failure> {
    check(pointer, name)?;
    // SAFETY: not null, aligned, and by this function's contract valid for writes; it need not be initialised.
    Ok(unsafe { &mut *pointer.cast::<MaybeUninit<T>>() })
}

/// As [`output`], of a result that the caller may not want: a null pointer.
///
/// # Safety
/// As for [`output`].
pub(crate) unsafe fn optional_output<'a, T: Copy>(
    pointer: *mut T,
    name: &str,
) -> Result<Option<&'a mut MaybeUninit<T>>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: by this function's contract.
    unsafe { output(pointer, name).map(Some) }
}

/// Writes one value.
///
/// # Safety
/// Where not null, `pointer` is valid for writes.
pub(crate) unsafe fn write<T: Copy>(pointer: *mut T, value: T, name: &str) -> Result<(), Failure> {
    check(pointer, name)?;
    // SAFETY: not null, aligned, and by this function's contract valid for writes.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Makes an object and writes its handle; 0 where that fails.
///
/// # Safety
/// As for [`write`].
pub(crate) unsafe fn give<T: Object>(
    pointer: *mut u64,
    name: &str,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract. Written first, so that no object is made whose handle nobody gets.
    unsafe { write(pointer, 0, name)? };
    let handle = insert(make()?)?;
    // SAFETY: as above.
    unsafe { write(pointer, handle, name) }
}

/// Writes `values` into the caller's buffer, and their number to `count`. If the buffer is too small, it stays
/// unchanged and the call fails with [`WB_BUFFER`]. Null with a capacity of 0 asks only for the number.
///
/// # Safety
/// Where not null, `buffer` is valid for writes of `capacity` values, and `count` of one.
pub(crate) unsafe fn fill<T: Copy>(
    buffer: *mut T,
    capacity: usize,
    count: *mut usize,
    values: &[T],
    name: &str,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract.
    unsafe { write(count, values.len(), "count")? };
    if values.len() > capacity {
        let message = format!("`{name}` has room for {capacity}, needed {}", values.len());
        return Err(Failure::new(WB_BUFFER, message));
    }
    if values.is_empty() {
        return Ok(());
    }
    check(buffer, name)?;
    // SAFETY: `buffer` has room for `capacity` values by the contract, which are not fewer; `values` is ours.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), buffer, values.len()) };
    Ok(())
}
