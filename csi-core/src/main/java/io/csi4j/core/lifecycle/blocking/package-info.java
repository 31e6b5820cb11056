/**
 * The engine for programs without futures: the same operations, each of which waits for its result. Begin with {@link
 * io.csi4j.core.lifecycle.blocking.BlockingLifecycle}.
 *
 * <pre>{@code
 * BlockingLifecycle blocking = BlockingLifecycle.of(lifecycle);
 * Volume volume = blocking.volumes().create(key, spec);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.lifecycle.blocking;

import org.jspecify.annotations.NullMarked;
