/** The log in a database, beside a program that only inserts rows. */
@NullMarked
package io.csi4j.benchmarks.database;

import org.jspecify.annotations.NullMarked;
