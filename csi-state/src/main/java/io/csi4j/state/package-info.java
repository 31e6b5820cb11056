/**
 * The state in memory: transactional, with snapshots that cost nothing, indexes, watches, and an encoding.
 *
 * <p>Entry point is {@link io.csi4j.state.StateStore}. It executes what {@link
 * io.csi4j.core.state.CommandApplication} decides, and knows no rules of its own.
 *
 * <pre>{@code
 * try (StateStore store = StateStore.create()) {
 *     Outcome outcome = store.apply(command);
 *     StateReader now = store.snapshot();
 *     now.volume(VolumeKey.of("default", "data")).ifPresent(this::show);
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.state;

import org.jspecify.annotations.NullMarked;
