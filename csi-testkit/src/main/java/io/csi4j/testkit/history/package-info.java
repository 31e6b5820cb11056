/**
 * The calls that a fake plugin got: {@link io.csi4j.testkit.history.CallHistory} and its {@link io.csi4j.testkit.history.CallRecord}s.
 *
 * <p>A record never contains secrets, contexts, parameters or mount flags.
 */
@NullMarked
package io.csi4j.testkit.history;

import org.jspecify.annotations.NullMarked;
