/** Decides when this peer leads. */
@NullMarked
package io.csi4j.ratis.internal.lead;

import org.jspecify.annotations.NullMarked;
