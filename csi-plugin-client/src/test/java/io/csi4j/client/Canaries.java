package io.csi4j.client;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.CsiRequest;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Confidential test values ("canaries") that must never be shown, and requests that contain them in every possible field. */
final class Canaries {
    static final String SECRET = "s3cr3t-canary-Zq81/+w==";
    static final String LONG_SECRET = "l0ng-canary-" + "0123456789abcdef".repeat(60);
    static final String VOLUME_CONTEXT = "volume-context-canary-Kk27";
    static final String PUBLISH_CONTEXT = "publish-context-canary-Pp93";
    static final String FLAG_VALUE = "flag-canary-Ff55";
    static final String FLAG = "password=" + FLAG_VALUE;
    /** A parameter value that exceptions may show, but the request log must not. */
    static final String PARAMETER = "parameter-canary-Mm38";

    private Canaries() {}

    static List<String> all() {
        return List.of(SECRET, LONG_SECRET, VOLUME_CONTEXT, PUBLISH_CONTEXT, FLAG_VALUE);
    }

    /** Returns the texts that must not be found, which include parts of the long canary. */
    static Set<String> forbidden() {
        return forms(List.of(SECRET, LONG_SECRET.substring(0, 40), VOLUME_CONTEXT, PUBLISH_CONTEXT, FLAG_VALUE));
    }

    /** Returns the canaries as they are and in the encodings in which bytes are usually printed. */
    static Set<String> forms(List<String> canaries) {
        Set<String> forms = new LinkedHashSet<>();
        for (String canary : canaries) {
            byte[] bytes = canary.getBytes(StandardCharsets.UTF_8);
            String hex = HexFormat.of().formatHex(bytes);
            forms.add(canary);
            forms.add(hex);
            forms.add(hex.toUpperCase(Locale.ROOT));
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
            forms.add(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        }
        return forms;
    }

    /** Returns the request with canaries in every field that may have a confidential value. */
    static CsiRequest in(Rpc rpc, CsiRequest request) throws Exception {
        Optional<Method> factory = Stream.of(request.getClass().getMethods())
                .filter(method -> method.getName().equals("builder"))
                .findFirst();
        if (factory.isEmpty()) {
            return request; // CSI gives it no fields.
        }
        Object builder = factory.get()
                .invoke(
                        null,
                        Stream.of(factory.get().getParameters())
                                .map(parameter ->
                                        value(request, parameter.getName()).orElseThrow())
                                .toArray());
        for (Method setter : builder.getClass().getMethods()) {
            if (setter.getParameterCount() != 1 || setter.getDeclaringClass() == Object.class) {
                continue;
            }
            switch (setter.getName()) {
                case "secrets" ->
                    setter.invoke(builder, Secrets.of(Map.of("token", SECRET, "certificate", LONG_SECRET)));
                case "volumeContext" -> setter.invoke(builder, VolumeContext.of(Map.of("share", VOLUME_CONTEXT)));
                case "publishContext" -> setter.invoke(builder, PublishContext.of(Map.of("lun", PUBLISH_CONTEXT)));
                case "parameters", "mutableParameters" -> setter.invoke(builder, Map.of("tier", PARAMETER));
                case "volumeCapability" -> setter.invoke(builder, capability());
                case "volumeCapabilities" -> setter.invoke(builder, List.of(capability()));
                default -> {
                    // Keeps the values of other fields, which are not confidential.
                    Optional<?> same = value(request, setter.getName());
                    if (same.isPresent()) {
                        setter.invoke(builder, same.get());
                    }
                }
            }
        }
        return (CsiRequest) builder.getClass().getMethod("build").invoke(builder);
    }

    private static Optional<?> value(CsiRequest request, String field) {
        try {
            Object value = request.getClass().getMethod(field).invoke(request);
            return value instanceof Optional<?> optional ? optional : Optional.of(value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no accessor of " + field, e);
        }
    }

    private static VolumeCapability capability() {
        return VolumeCapability.mount(
                VolumeAccessMode.SINGLE_NODE_WRITER,
                MountVolume.builder().mountFlags(MountFlags.of("noatime", FLAG)).build());
    }
}
