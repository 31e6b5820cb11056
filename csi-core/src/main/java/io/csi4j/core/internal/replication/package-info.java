/** Parts that every replicated log has: the notification of leadership, and the limit of waiting commands. */
@NullMarked
package io.csi4j.core.internal.replication;

import org.jspecify.annotations.NullMarked;
