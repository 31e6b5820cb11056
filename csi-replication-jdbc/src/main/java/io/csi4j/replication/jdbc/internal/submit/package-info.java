/** The commands of this server, until they have their outcomes. */
@NullMarked
package io.csi4j.replication.jdbc.internal.submit;

import org.jspecify.annotations.NullMarked;
