/** The workers that carry out the plan of each volume, with the queue, calls, retries and waiting futures of the volume. */
@NullMarked
package io.csi4j.node.internal.worker;

import org.jspecify.annotations.NullMarked;
