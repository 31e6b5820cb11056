/** Records under one lock: in memory, or as files that survive a kill at any point. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.store;

import org.jspecify.annotations.NullMarked;
