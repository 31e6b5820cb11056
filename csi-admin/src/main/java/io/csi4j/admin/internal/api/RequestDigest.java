package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Digests of requests, to recognise a repeated one. The digest has a key of this process, so that the secrets in a request
 * cannot be guessed from it.
 */
final class RequestDigest {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    RequestDigest(RandomGenerator random) {
        byte[] bytes = new byte[32];
        random.nextBytes(bytes);
        this.key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /** Returns the digest of a request, without the time that its client waits. */
    String of(HttpRequest request) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            add(mac, request.head().method().getBytes(StandardCharsets.UTF_8));
            addAll(mac, request.head().path());
            for (Map.Entry<String, List<String>> parameter :
                    new TreeMap<>(request.head().query()).entrySet()) {
                if (!parameter.getKey().equals(Operations.QUERY_WAIT.name())) {
                    add(mac, parameter.getKey().getBytes(StandardCharsets.UTF_8));
                    addAll(mac, parameter.getValue());
                }
            }
            add(mac, request.body());
            return Base64.getEncoder().encodeToString(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java runtime has " + ALGORITHM, e);
        }
    }

    private static void addAll(Mac mac, List<String> texts) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(texts.size()).flip());
        texts.forEach(text -> add(mac, text.getBytes(StandardCharsets.UTF_8)));
    }

    private static void add(Mac mac, byte[] bytes) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        mac.update(bytes);
    }
}
