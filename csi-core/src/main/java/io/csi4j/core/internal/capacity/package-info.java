/**
 * How the free capacity that plugins report counts for placements: a volume that a claim would make, in the place of its
 * node. Commands do not use it, because they have the same outcome on every server. For csi-core itself; not part of the API.
 */
@NullMarked
package io.csi4j.core.internal.capacity;

import org.jspecify.annotations.NullMarked;
