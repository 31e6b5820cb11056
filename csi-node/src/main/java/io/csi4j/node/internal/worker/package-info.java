/** The workers that carry out the plan of each volume: queue, calls, retries and waiting futures. */
@NullMarked
package io.csi4j.node.internal.worker;

import org.jspecify.annotations.NullMarked;
