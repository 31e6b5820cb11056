/** Runs the attempts of Failsafe on the timers of csi4j; csi-agent and csi-replication-ratis use it, too. */
@NullMarked
package io.csi4j.client.internal.timer;

import org.jspecify.annotations.NullMarked;
