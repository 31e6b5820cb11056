/**
 * The command log in the database of the host: PostgreSQL 13 and newer, or an embedded H2.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.replication.jdbc;

import org.jspecify.annotations.NullMarked;
