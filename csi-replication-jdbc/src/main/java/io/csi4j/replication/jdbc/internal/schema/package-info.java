/** The tables of the log: their names, how they are created, and the check of them at the start. */
@NullMarked
package io.csi4j.replication.jdbc.internal.schema;

import org.jspecify.annotations.NullMarked;
