/** The statements on the tables, and the transactions in which they run. */
@NullMarked
package io.csi4j.replication.jdbc.internal.db;

import org.jspecify.annotations.NullMarked;
