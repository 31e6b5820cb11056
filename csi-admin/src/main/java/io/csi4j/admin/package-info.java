/**
 * The administration of csi4j over HTTP: {@link io.csi4j.admin.AdminServer}, which a host starts beside its engine, and the
 * history of events that its pages show.
 *
 * <pre>{@code
 * AdminHistory history = AdminHistory.create();
 * VolumeLifecycle lifecycle = VolumeLifecycle.builder()
 *         .log(log)
 *         .gateway(gateway)
 *         .listener(history.listener())
 *         .build();
 * try (AdminServer admin = AdminServer.builder(lifecycle).history(history).start()) {
 *     System.out.println("Open " + admin.uri());
 *     serve();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.admin;

import org.jspecify.annotations.NullMarked;
