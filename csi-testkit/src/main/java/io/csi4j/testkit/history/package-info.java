/**
 * The calls that a fake plugin got: {@link io.csi4j.testkit.history.CallHistory} and its {@link io.csi4j.testkit.history.CallRecord}s.
 *
 * <p>A record never contains secrets, contexts, parameters or mount flags.
 *
 * <pre>{@code
 * System.out.println(plugin.history().ofVolume("vol-1").failed().toTable());
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.history;

import org.jspecify.annotations.NullMarked;
