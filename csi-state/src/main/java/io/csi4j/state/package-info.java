/**
 * The state in memory, with transactions, snapshots that need no copy, indexes, watches, and an encoding.
 *
 * <p>Start with {@link io.csi4j.state.StateStore}. The store executes the decisions of {@link io.csi4j.core.internal.apply.CommandApplication} and
 * has no rules of its own.
 *
 * <pre>{@code
 * try (StateStore store = StateStore.inMemory()) {
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
