/**
 * The command log on Apache Ratis.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.ratis;

import org.jspecify.annotations.NullMarked;
