/**
 * Micrometer meters of csi4j.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.micrometer;

import org.jspecify.annotations.NullMarked;
