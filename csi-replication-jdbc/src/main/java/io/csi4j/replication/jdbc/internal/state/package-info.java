/** The part of the log that this server has applied, and its snapshots. */
@NullMarked
package io.csi4j.replication.jdbc.internal.state;

import org.jspecify.annotations.NullMarked;
