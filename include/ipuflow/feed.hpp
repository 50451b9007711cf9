// SPDX-License-Identifier: BSL-1.0
// Data in and results out: datasets and their loader; infeeds and outfeeds of a device.
#pragma once

// Sizes, datasets, batches.
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/sample_batch.hpp>
#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/images/pixels.hpp>
#include <ipuflow/feed/images/image.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

// Sources of samples. For files of your own: sources/csv.hpp, sources/npy.hpp, sources/npz.hpp.
#include <ipuflow/feed/sources/idx.hpp>
#include <ipuflow/feed/sources/cifar10.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>
#include <ipuflow/feed/sources/concatenate.hpp>
#include <ipuflow/feed/sources/shares.hpp>
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>

// Adaptors, which change them. For views of range-v3 there is also adaptors/range_view.hpp, which includes that library.
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/adaptors/filter.hpp>
#include <ipuflow/feed/adaptors/cache.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/images/flip.hpp>
#include <ipuflow/feed/images/crop.hpp>
#include <ipuflow/feed/images/resize.hpp>
#include <ipuflow/feed/images/convert.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>

// The loader. How fast a source is, where it is wanted: feed/dataset_benchmark.hpp.
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/loader.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/sample_error.hpp>

// The device's side.
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/infeed_options.hpp>
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/feed/device/outfeed_buffer.hpp>
#include <ipuflow/feed/device/outfeed_reader.hpp>
#include <ipuflow/feed/device/outfeed_fault.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/feed/device/fixed_shape.hpp>
#include <ipuflow/feed/device/add_up.hpp>
