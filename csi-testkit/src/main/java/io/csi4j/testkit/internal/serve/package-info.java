/** The transports of a fake plugin. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.serve;

import org.jspecify.annotations.NullMarked;
