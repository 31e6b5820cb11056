/**
 * The interfaces of the state: {@link io.csi4j.core.state.StateReader} reads the rows of one version, {@link
 * io.csi4j.core.state.ObservableState} has the newest version and reports changes of it.
 *
 * <pre>{@code
 * StateReader now = state.snapshot();
 * Optional<Volume> volume = now.volume(VolumeKey.of("default", "db-data"));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.state;

import org.jspecify.annotations.NullMarked;
