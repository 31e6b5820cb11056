/** Brings commands to the leader, and their outcomes back. */
@NullMarked
package io.csi4j.replication.ratis.internal.submit;

import org.jspecify.annotations.NullMarked;
