package io.csi4j.state;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;

/** An entry of the index of claims by allocation. */
record ClaimEntry(AllocationId allocationId, VolumeKey volume) {}
