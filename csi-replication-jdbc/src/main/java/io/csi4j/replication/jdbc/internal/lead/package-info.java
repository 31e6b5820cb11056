/** The lease of the leader. */
@NullMarked
package io.csi4j.replication.jdbc.internal.lead;

import org.jspecify.annotations.NullMarked;
