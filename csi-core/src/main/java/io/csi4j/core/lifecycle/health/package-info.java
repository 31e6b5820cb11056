/**
 * The health of a server: whether it can do its work, and if not, why. Begin with {@link
 * io.csi4j.core.lifecycle.health.HealthCheck}.
 *
 * <pre>{@code
 * HealthCheck check = HealthCheck.of(lifecycle, environment);
 * check.run().thenAccept(health -> {
 *     if (!health.able()) {
 *         alert(health.problems());
 *     }
 * });
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.lifecycle.health;

import org.jspecify.annotations.NullMarked;
