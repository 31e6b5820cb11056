/** A log in a database: the servers with their leases, and the tables. */
@NullMarked
package io.csi4j.simulation.internal.database;

import org.jspecify.annotations.NullMarked;
