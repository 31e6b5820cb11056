/** Records each call before the services get it, and lets faults act on it. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.call;

import org.jspecify.annotations.NullMarked;
