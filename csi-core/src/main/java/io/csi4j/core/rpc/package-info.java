/**
 * The RPCs of CSI as Java: five service interfaces, and for each RPC a request and a response.
 *
 * <p>Requests and responses are immutable and show nothing sensitive. A request has a builder; a response
 * is a record. A field that a later CSI adds to a response comes with a second constructor, so that
 * programs still compile. A request is checked when it is built (R16-R25): what breaks a rule of CSI never reaches a plugin, and the
 * {@link io.csi4j.core.call.CsiRequestException} names every problem at once. Ids and contexts that a
 * provider made are passed on as they are, even where they are longer than the specification permits.
 *
 * <pre>{@code
 * CreateVolumeRequest request = CreateVolumeRequest.builder("pvc-1", List.of(capability))
 *         .capacityRange(CapacityRange.atLeast(1L << 30))
 *         .secrets(secrets)
 *         .build();
 * CompletableFuture<CreateVolumeResponse> response = controller.createVolume(request);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.rpc;

import org.jspecify.annotations.NullMarked;
