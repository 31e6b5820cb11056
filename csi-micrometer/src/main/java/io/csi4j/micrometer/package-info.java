/**
 * Micrometer meters of an engine: calls to plugins, claims, releases, attachments, plugins, queues, and the log. Begin with
 * {@link io.csi4j.micrometer.CsiMeters}.
 *
 * <pre>{@code
 * CsiMeters meters = CsiMeters.of(registry);
 * VolumeLifecycle lifecycle = VolumeLifecycle.builder()
 *         .log(meters.timed(log))
 *         .gateway(gateway)
 *         .listener(meters.listener())
 *         .environment(environment)
 *         .build();
 * meters.observe(lifecycle, environment);
 * lifecycle.startLeading();
 * }</pre>
 *
 * <p>No tag has the id of a volume, an allocation or a node, so the number of meters does not grow with them. The names and
 * tags are in {@code docs/meters.md}.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.micrometer;

import org.jspecify.annotations.NullMarked;
